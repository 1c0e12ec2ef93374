# The environment of every test that may start mpirun: more ranks than cores, no binding (ranks
# that share a core would wait for each other), root in containers, threads that sleep when idle.
find_program(BANZUKE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(BANZUKE_PYTHON python3 REQUIRED)

# Makes writes fail in programs that it is preloaded into; a program of its own, not sanitized.
add_library(banzuke_faults MODULE support/faults.c)
target_compile_options(banzuke_faults PRIVATE -Wall -Wextra)
target_link_libraries(banzuke_faults PRIVATE Threads::Threads ${CMAKE_DL_LIBS})

set(BANZUKE_TEST_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_hwloc_base_binding_policy=none
  OMPI_MCA_mpi_yield_when_idle=1
  OMP_NUM_THREADS=1
  OMP_WAIT_POLICY=passive
  LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/lsan.supp:print_suppressions=0
  PYTHONDONTWRITEBYTECODE=1
  PYTHONPATH=${CMAKE_CURRENT_LIST_DIR}
  BANZUKE_PROGRAM=$<TARGET_FILE:banzuke>
  BANZUKE_SOURCE=${PROJECT_SOURCE_DIR}
  BANZUKE_FAULTS=$<TARGET_FILE:banzuke_faults>
  BANZUKE_MPIRUN=${MPIEXEC_EXECUTABLE})

# Open MPI unloads its plugins before leaks are looked for: only whole stacks lead to a library that
# the suppressions name. They are slow, so that only ranks of MPI take them.
set(BANZUKE_WHOLE_STACKS ASAN_OPTIONS=fast_unwind_on_malloc=0)
if(BANZUKE_SANITIZE MATCHES "address")
  list(APPEND BANZUKE_TEST_ENVIRONMENT BANZUKE_RANKS_ENVIRONMENT=${BANZUKE_WHOLE_STACKS})
endif()

# banzuke_python_tests(FOLDER LABEL): each FOLDER/*_test.py is a ctest entry.
function(banzuke_python_tests folder label)
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*_test.py)
  foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME ${folder}.${name} COMMAND ${BANZUKE_PYTHON} ${script} -v)
    set_tests_properties(${folder}.${name} PROPERTIES LABELS ${label} TIMEOUT 600
      ENVIRONMENT "${BANZUKE_TEST_ENVIRONMENT}" SKIP_RETURN_CODE 77)
  endforeach()
endfunction()

# banzuke_mpi_tests(FOLDER LIBRARY...): each FOLDER/*_test.cpp is a program, run on 1, 2, 4 ranks.
function(banzuke_mpi_tests folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*_test.cpp)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE banzuke_options ${ARGN})
    foreach(ranks 1 2 4)
      add_test(NAME ${folder}.${name}.${ranks}
        COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${name}> ${ranks})
      set_tests_properties(${folder}.${name}.${ranks} PROPERTIES LABELS mpi TIMEOUT 120
        PROCESSORS 2 ENVIRONMENT "${BANZUKE_TEST_ENVIRONMENT};${BANZUKE_WHOLE_STACKS}")
    endforeach()
  endforeach()
endfunction()
