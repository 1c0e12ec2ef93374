/* Preloaded (LD_PRELOAD) into a program under test: makes chosen calls on chosen files fail.
 *
 * FAULT_FILES  part of the path that a file must have
 * FAULT_CALLS  names of the calls that count, separated by commas: write (with pwrite), fsync,
 *              ftruncate, rename (with renameat2), link; all where it is not set
 * FAULT_AT     which of those calls fails, from 1; none where it is 0 or not set
 * FAULT_EVERY  0: that call alone; k: every k-th from then on
 * FAULT_ERROR  errno of the failure; 0: no error, but a write of half the bytes
 * FAULT_COUNT  file that the number of calls so far is written into
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long calls = 0;

static void* real(const char* name) {
  void* function = dlsym(RTLD_NEXT, name);
  if (function == NULL) abort();
  return function;
}

static long number(const char* name) {
  const char* text = getenv(name);
  return text != NULL ? atol(text) : 0;
}

static int is_listed(const char* call) {
  const char* list = getenv("FAULT_CALLS");
  if (list == NULL) return 1;
  const size_t length = strlen(call);
  for (const char* at = list; (at = strstr(at, call)) != NULL; at += length) {
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return 1;
  }
  return 0;
}

static void tell(long count) {
  const char* path = getenv("FAULT_COUNT");
  if (path == NULL) return;
  char text[32];
  const int length = snprintf(text, sizeof text, "%ld", count);
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) abort();
  ssize_t (*const write_it)(int, const void*, size_t) = real("write");
  if (write_it(file, text, (size_t)length) != length) abort();
  close(file);
}

/* Whether this call is to fail. */
static int is_hit(const char* call, const char* path) {
  const char* files = getenv("FAULT_FILES");
  if (files == NULL || strstr(path, files) == NULL || !is_listed(call)) return 0;
  const int before = errno;
  pthread_mutex_lock(&mutex);
  const long count = ++calls;
  tell(count);
  pthread_mutex_unlock(&mutex);
  errno = before;
  const long at = number("FAULT_AT");
  const long every = number("FAULT_EVERY");
  if (at <= 0 || count < at) return 0;
  return count == at || (every > 0 && (count - at) % every == 0);
}

static int is_hit_file(const char* call, int file) {
  char link[32];
  char path[PATH_MAX + 1];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, PATH_MAX);
  if (length < 0) return 0;
  path[length] = '\0';
  return is_hit(call, path);
}

/* The error to give; 0 for a short write. */
static int fault(void) {
  return (int)number("FAULT_ERROR");
}

ssize_t write(int file, const void* data, size_t size) {
  ssize_t (*const write_it)(int, const void*, size_t) = real("write");
  if (is_hit_file("write", file)) {
    errno = fault();
    if (errno != 0) return -1;
    if (size > 1) size /= 2;
  }
  return write_it(file, data, size);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  ssize_t (*const write_it)(int, const void*, size_t, off_t) = real("pwrite");
  if (is_hit_file("write", file)) {
    errno = fault();
    if (errno != 0) return -1;
    if (size > 1) size /= 2;
  }
  return write_it(file, data, size, at);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  ssize_t (*const write_it)(int, const void*, size_t, off64_t) = real("pwrite64");
  if (is_hit_file("write", file)) {
    errno = fault();
    if (errno != 0) return -1;
    if (size > 1) size /= 2;
  }
  return write_it(file, data, size, at);
}

int fsync(int file) {
  int (*const sync_it)(int) = real("fsync");
  if (fault() != 0 && is_hit_file("fsync", file)) {
    errno = fault();
    return -1;
  }
  return sync_it(file);
}

int ftruncate(int file, off_t size) {
  int (*const cut_it)(int, off_t) = real("ftruncate");
  if (fault() != 0 && is_hit_file("ftruncate", file)) {
    errno = fault();
    return -1;
  }
  return cut_it(file, size);
}

int ftruncate64(int file, off64_t size) {
  int (*const cut_it)(int, off64_t) = real("ftruncate64");
  if (fault() != 0 && is_hit_file("ftruncate", file)) {
    errno = fault();
    return -1;
  }
  return cut_it(file, size);
}

int rename(const char* from, const char* to) {
  int (*const rename_it)(const char*, const char*) = real("rename");
  if (fault() != 0 && is_hit("rename", from)) {
    errno = fault();
    return -1;
  }
  return rename_it(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  int (*const rename_it)(int, const char*, int, const char*, unsigned) = real("renameat2");
  if (fault() != 0 && is_hit("rename", from)) {
    errno = fault();
    return -1;
  }
  return rename_it(from_folder, from, to_folder, to, flags);
}

int link(const char* from, const char* to) {
  int (*const link_it)(const char*, const char*) = real("link");
  if (fault() != 0 && is_hit("link", from)) {
    errno = fault();
    return -1;
  }
  return link_it(from, to);
}
