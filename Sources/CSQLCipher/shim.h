#ifndef MINIORM_CSQLCIPHER_SHIM_H
#define MINIORM_CSQLCIPHER_SHIM_H

// sqlite3.h declares sqlite3_key and its kind only where this is set.
#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif

#if defined(__APPLE__) && __has_include(<SQLCipher/sqlite3.h>)
#include <SQLCipher/sqlite3.h>
#elif __has_include(<sqlcipher/sqlite3.h>)
#include <sqlcipher/sqlite3.h>
#else
#error "MiniORM needs SQLCipher 4.6.1 or newer, and its header sqlcipher/sqlite3.h was not found. Run scripts/install-sqlcipher from MiniORM's checkout, or install libsqlcipher-dev (Debian 13), sqlcipher-devel (Fedora) or sqlcipher-dev (Alpine). Plain SQLite does not do."
#endif

// SQLCipher 4.6.1 is built on SQLite 3.46.1; the same minimum stands in scripts/install-sqlcipher and
// Connection+Open.swift. Before 3.45 a path into JSON finds no key that is written with an escape, and
// gives NULL; and an INSERT with two ON CONFLICT clauses for one index leaves all indexes wrong.
#if SQLITE_VERSION_NUMBER < 3046001
#error "This SQLCipher is too old: MiniORM needs 4.6.1 or newer. Run scripts/install-sqlcipher from MiniORM's checkout, which builds one."
#endif

// A framework's module (Apple's platforms) is compiled by itself, and what is defined here does not
// reach it. These are the only declarations behind SQLITE_HAS_CODEC; C allows them twice. Elsewhere
// they stay out: without them a header of plain SQLite's fails below, with a reason.
#if defined(__APPLE__)
SQLITE_API int sqlite3_key(sqlite3 *db, const void *pKey, int nKey);
SQLITE_API int sqlite3_key_v2(sqlite3 *db, const char *zDbName, const void *pKey, int nKey);
SQLITE_API int sqlite3_rekey(sqlite3 *db, const void *pKey, int nKey);
SQLITE_API int sqlite3_rekey_v2(sqlite3 *db, const char *zDbName, const void *pKey, int nKey);
#endif

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Swift cannot call variadic C functions.
static inline int miniorm_db_config(sqlite3 *db, int option, int value) {
  return sqlite3_db_config(db, option, value, (int *)0);
}

static inline int miniorm_key(sqlite3 *db, const void *key, int count) {
  return sqlite3_key(db, key, count); /* undeclared? This sqlite3.h is plain SQLite's: MiniORM needs SQLCipher. Run scripts/install-sqlcipher. */
}

static inline int miniorm_rekey(sqlite3 *db, const void *key, int count) {
  return sqlite3_rekey(db, key, count);
}

// A cast macro, which Swift does not import. SQLITE_TRANSIENT makes SQLite copy what is bound.
static inline sqlite3_destructor_type miniorm_transient(void) { return SQLITE_TRANSIENT; }

// A function that not every build of the library has, or null. It has to be that of the library in use: another
// one in the process, such as a system's own SQLite, knows nothing of its connections. Apple's linker binds each
// function to its own library, and dlsym looks through all of them; elsewhere all are found in one order.
static inline void *miniorm_optional(const char *name, const char *option) {
  if (!sqlite3_compileoption_used(option)) return 0;
#if defined(__APPLE__)
  void *found = dlsym(RTLD_DEFAULT, name);
  Dl_info own, other;
  if (!found || !dladdr(found, &other) || !dladdr((void *)&sqlite3_libversion, &own)) return 0;
  return own.dli_fbase == other.dli_fbase ? found : 0;
#else
  return dlsym((void *)0, name);  // RTLD_DEFAULT, which glibc declares for its own extensions only
#endif
}

// https://www.sqlite.org/c3ref/snapshot.html
static inline int miniorm_has_snapshots(void) {
  return miniorm_optional("sqlite3_snapshot_get", "ENABLE_SNAPSHOT") && miniorm_optional("sqlite3_snapshot_open", "ENABLE_SNAPSHOT") &&
         miniorm_optional("sqlite3_snapshot_free", "ENABLE_SNAPSHOT");
}

static inline int miniorm_snapshot_get(sqlite3 *db, const char *schema, void **snapshot) {
  int (*get)(sqlite3 *, const char *, void **) =
      (int (*)(sqlite3 *, const char *, void **))miniorm_optional("sqlite3_snapshot_get", "ENABLE_SNAPSHOT");
  return get ? get(db, schema, snapshot) : SQLITE_MISUSE;
}

static inline int miniorm_snapshot_open(sqlite3 *db, const char *schema, void *snapshot) {
  int (*open)(sqlite3 *, const char *, void *) =
      (int (*)(sqlite3 *, const char *, void *))miniorm_optional("sqlite3_snapshot_open", "ENABLE_SNAPSHOT");
  return open ? open(db, schema, snapshot) : SQLITE_MISUSE;
}

static inline void miniorm_snapshot_free(void *snapshot) {
  void (*release)(void *) = (void (*)(void *))miniorm_optional("sqlite3_snapshot_free", "ENABLE_SNAPSHOT");
  if (release) release(snapshot);
}

// Reads the first bytes of a file, and returns how many there are.
static inline size_t miniorm_head(const char *path, void *bytes, size_t count) {
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  count = fread(bytes, 1, count, file);
  fclose(file);
  return count;
}

// Returns whether there is a readable file at a path.
static inline int miniorm_exists(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file ? 1 : 0;
}

// A number that no other running thread has.
static inline uintptr_t miniorm_thread(void) { return (uintptr_t)pthread_self(); }

// Memory of the calling thread's, null at first. Each object file that calls this has its own: one file of Swift does.
static inline void **miniorm_thread_slot(void) {
  static _Thread_local void *slot;
  return &slot;
}

// How many connections' executors the calling thread holds. Each object file that calls this has its own count: one file of Swift does.
static inline int *miniorm_held_executors(void) {
  static _Thread_local int count;
  return &count;
}

// Has a function called in every child that is forked from here on.
static inline int miniorm_at_fork(void (*child)(void)) { return pthread_atfork(0, 0, child); }

static inline long miniorm_processors(void) { return sysconf(_SC_NPROCESSORS_ONLN); }

// Starts a thread that nobody waits for. Returns 0, or why there is none.
static inline int miniorm_start_thread(void *(*body)(void *)) {
  pthread_attr_t attributes;
  int code = pthread_attr_init(&attributes);
  if (code) return code;
  pthread_t thread;
  // Signals are for the threads of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // SQLite's parser and the closures of queries go deeper than the 512 KiB that some systems give.
  pthread_attr_setstacksize(&attributes, 4 << 20);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  code = pthread_create(&thread, &attributes, body, 0);
  pthread_sigmask(SIG_SETMASK, &before, 0);
  pthread_attr_destroy(&attributes);
  return code;
}

// Overwrites memory that held a key. The barrier keeps the compiler from dropping a store that
// nothing reads afterwards.
static inline void miniorm_wipe(void *memory, size_t count) {
  memset(memory, 0, count);
  __asm__ __volatile__("" : : "r"(memory) : "memory");
}

// How many bytes whole pages have.
static inline size_t miniorm_pages(size_t count) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (count / page + 1) * page;
}

// Memory for a key, in pages of its own, which the system neither swaps out nor writes into a core dump
// as far as it lets a process ask for that. Null where there is none.
static inline void *miniorm_allocate_secret(size_t count) {
  size_t size = miniorm_pages(count);
  void *memory = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (memory == MAP_FAILED) return 0;
  // Refused beyond RLIMIT_MEMLOCK: a key that can be swapped out is better than none.
  (void)mlock(memory, size);
#ifdef MADV_DONTDUMP
  (void)madvise(memory, size, MADV_DONTDUMP);
#endif
  return memory;
}

// Wipes that memory and gives it back.
static inline void miniorm_free_secret(void *memory, size_t count) {
  size_t size = miniorm_pages(count);
  miniorm_wipe(memory, count);
  (void)munlock(memory, size);
  (void)munmap(memory, size);
}

#endif
