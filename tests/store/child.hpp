#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace banzuke::testing {

/// Runs f in a child process that ends without destructors or exit handlers.
template <class Function>
pid_t start_child(Function f) {
  const pid_t child = fork();
  if (child == 0) {
    int code = 99;
    try {
      code = f();
    } catch (...) {
      code = 98;
    }
    _exit(code);
  }
  return child;
}

/// Exit code of a child; 128 + signal when one ended it.
inline int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

template <class Function>
int run_child(Function f) {
  return wait_for(start_child(f));
}

}  // namespace banzuke::testing
