#ifndef MINIORM_SYSTEM_FAULTS_H
#define MINIORM_SYSTEM_FAULTS_H

// Fails system calls of this process, whether SQLite, MiniORM or Foundation makes them.
//
// The functions are defined in the program, so the dynamic linker prefers them to the C library's. Only calls on
// files in a single folder count and fail.

// In the order of SystemFaults.Call.
enum {
  miniorm_pwrite,
  miniorm_fsync,
  miniorm_fdatasync,
  miniorm_ftruncate,
  miniorm_unlink,
  miniorm_open,
  miniorm_link,
  miniorm_rename,
  miniorm_call_count
};

// True with glibc, and without a sanitizer that replaces the same functions.
int miniorm_faults_exist(void);

// Counts all calls on files in a folder from now on, and fails a chosen call.
// - call: the kind of call that fails; -1 for no failure.
// - number: the failing call, from 1.
// - lasts: true if all later calls fail too.
// - error: the errno value, such as EIO; 0 to kill the process at the call.
void miniorm_faults_arm(const char *folder, int call, long number, int lasts, int error);

// Disarms the failure. Returns the number of failed calls.
long miniorm_faults_disarm(void);

// The number of calls of a kind since arming.
long miniorm_faults_count(int call);

// The calls since arming, a line each: a letter ("w" pwrite, "s" fsync, "d" fdatasync, "t" ftruncate, "u" unlink,
// "o" open, "l" link, "r" rename), a space and the file's name. Truncated to the size of the buffer.
const char *miniorm_faults_record(void);

#endif
