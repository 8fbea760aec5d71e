#ifndef MINIORM_SYSTEM_FAULTS_H
#define MINIORM_SYSTEM_FAULTS_H

// Lets calls of this process to the system fail, whoever makes them: SQLite, MiniORM or Foundation.
//
// The functions stand in the program itself, so that the dynamic linker prefers them to those of the C library. Only
// calls that concern a file below one folder count and fail.

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

// Whether calls can fail here: with glibc, and without a sanitizer that puts functions of its own in their place.
int miniorm_faults_exist(void);

// Counts calls from now on that concern files below a folder, and lets one of them fail.
// - call: the kind that fails; -1 for none.
// - number: which of them, from 1.
// - lasts: whether all that follow fail too.
// - error: the number of the error, such as EIO; 0 to kill the process at the call.
void miniorm_faults_arm(const char *folder, int call, long number, int lasts, int error);

// Lets every call succeed again. Returns how many have failed.
long miniorm_faults_disarm(void);

// How many calls of a kind there have been since faults were armed.
long miniorm_faults_count(int call);

// The kinds of the calls since faults were armed, each as a letter: "w" pwrite, "s" fsync, "d" fdatasync, "t" ftruncate,
// "u" unlink, "o" open, "l" link, "r" rename; then a space, the file's name, and a line feed. Cut off where it is too long.
const char *miniorm_faults_record(void);

#endif
