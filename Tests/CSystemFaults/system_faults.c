// Functions for both sizes of file offsets are defined below.
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE 1

#include "system_faults.h"

#include <limits.h>  // defines __GLIBC__

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && defined(__LP64__) && !defined(SANITIZED)

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// fcntl.h would rename these functions with some options.
enum { at_cwd = -100, o_creat = 0100, o_tmpfile = 020200000 };

static char armed_folder[4096];
static atomic_int is_armed, armed_call, armed_lasts, armed_error;
static atomic_long left, struck, counts[miniorm_call_count];
static char record[1 << 16];
static atomic_size_t recorded;

int miniorm_faults_exist(void) { return 1; }

void miniorm_faults_arm(const char *folder, int call, long number, int lasts, int error) {
  is_armed = 0;
  snprintf(armed_folder, sizeof armed_folder, "%s/", folder);
  for (int index = 0; index < miniorm_call_count; index++) counts[index] = 0;
  memset(record, 0, sizeof record);
  recorded = 0;
  struck = 0;
  left = number;
  armed_call = call;
  armed_lasts = lasts;
  armed_error = error;
  is_armed = 1;
}

long miniorm_faults_disarm(void) {
  is_armed = 0;
  return struck;
}

long miniorm_faults_count(int call) { return counts[call]; }

const char *miniorm_faults_record(void) { return record; }

static void note(int call, const char *name) {
  char line[320];
  int count = snprintf(line, sizeof line, "%c %.300s\n", "wsdtuolr"[call], name);
  size_t place = atomic_fetch_add(&recorded, (size_t)count);
  if (place + (size_t)count < sizeof record) memcpy(record + place, line, (size_t)count);
}

static int fails(int call, const char *path) {
  size_t length = strlen(armed_folder);
  if (strncmp(path, armed_folder, length) != 0) return 0;
  counts[call]++;
  note(call, path + length);
  if (call != armed_call) return 0;
  long number = atomic_fetch_sub(&left, 1);
  if (number != 1 && !(number < 1 && armed_lasts)) return 0;
  struck++;
  if (armed_error == 0) kill(getpid(), SIGKILL);
  errno = armed_error;
  return 1;
}

static int fails_at(int call, int file) {
  if (!is_armed) return 0;
  char name[40], path[4096];
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  ssize_t count = readlink(name, path, sizeof path - 1);
  if (count < 0) return 0;
  path[count] = 0;
  return fails(call, path);
}

static int fails_named(int call, const char *path) { return is_armed && fails(call, path); }

ssize_t pwrite64(int file, const void *bytes, size_t count, long offset) {
  return fails_at(miniorm_pwrite, file) ? -1 : syscall(SYS_pwrite64, file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, long offset) {
  return pwrite64(file, bytes, count, offset);
}

int fsync(int file) { return fails_at(miniorm_fsync, file) ? -1 : (int)syscall(SYS_fsync, file); }

int fdatasync(int file) {
  return fails_at(miniorm_fdatasync, file) ? -1 : (int)syscall(SYS_fdatasync, file);
}

int ftruncate64(int file, long size) {
  return fails_at(miniorm_ftruncate, file) ? -1 : (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate(int file, long size) { return ftruncate64(file, size); }

int unlink(const char *path) {
  return fails_named(miniorm_unlink, path) ? -1 : (int)syscall(SYS_unlinkat, at_cwd, path, 0);
}

int link(const char *path, const char *name) {
  if (fails_named(miniorm_link, name)) return -1;
  return (int)syscall(SYS_linkat, at_cwd, path, at_cwd, name, 0);
}

int rename(const char *path, const char *name) {
  if (fails_named(miniorm_rename, name)) return -1;
  return (int)syscall(SYS_renameat2, at_cwd, path, at_cwd, name, 0);
}

static int open_file(const char *path, int flags, unsigned mode) {
  return fails_named(miniorm_open, path) ? -1 : (int)syscall(SYS_openat, at_cwd, path, flags, mode);
}

static unsigned mode_of(int flags, va_list rest) {
  return flags & o_creat || (flags & o_tmpfile) == o_tmpfile ? va_arg(rest, unsigned) : 0;
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  unsigned mode = mode_of(flags, rest);
  va_end(rest);
  return open_file(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  unsigned mode = mode_of(flags, rest);
  va_end(rest);
  return open_file(path, flags, mode);
}

#else

int miniorm_faults_exist(void) { return 0; }
void miniorm_faults_arm(const char *folder, int call, long number, int lasts, int error) {}
long miniorm_faults_disarm(void) { return 0; }
long miniorm_faults_count(int call) { return 0; }
const char *miniorm_faults_record(void) { return ""; }

#endif
