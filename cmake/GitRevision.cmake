# Writes OUTPUT with the commit and whether the tree differs from it; run at every build, but the
# file changes only when its content does.
execute_process(COMMAND git rev-parse HEAD WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
set(dirty "unknown")
if(failed)
  set(commit "unknown")
else()
  execute_process(COMMAND git status --porcelain --untracked-files=no WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes STREQUAL "")
    set(dirty "no")
  else()
    set(dirty "yes")
  endif()
endif()
cmake_policy(SET CMP0053 NEW)
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
  "#define BANZUKE_GIT_COMMIT \"@commit@\"\n#define BANZUKE_GIT_DIRTY \"@dirty@\"\n")
