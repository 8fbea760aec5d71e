#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// The header between Swift and SQLCipher, compiled for macOS against a framework like Zetetic's.
  @Suite("The shim", .enabled(if: Compiler.here != nil, "swiftc is not on the PATH"))
  struct ShimTests {
    @Test(
      "the shim compiles with headers that declare sqlite3_key, and with headers that do not",
      arguments: [true, false])
    func framework(isModule: Bool) async throws {
      let compiler = try #require(Compiler.here)
      let includes = try packageFlags("--cflags").map { String($0.dropFirst(2)) } + ["/usr/include"]
      let headers = includes.map { "\($0)/sqlcipher/sqlite3.h" }
      let header = try #require(headers.first(where: FileManager.default.fileExists))
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      defer { try? FileManager.default.removeItem(at: folder) }
      let sources = [
        "SQLCipher.framework/Headers/sqlite3.h": try String(
          contentsOfFile: header, encoding: .utf8),
        "SQLCipher.framework/Modules/module.modulemap":
          "framework module SQLCipher { umbrella header \"sqlite3.h\" export * }",
        // Stand-ins for the macOS headers that the shim includes.
        "string.h": "#include <stddef.h>\nvoid *memset(void *, int, size_t);",
        "stdio.h": """
        #include <stddef.h>
        typedef struct file FILE;
        FILE *fopen(const char *, const char *);
        size_t fread(void *, size_t, size_t, FILE *);
        int fclose(FILE *);
        """,
        "dlfcn.h": """
        #define RTLD_DEFAULT ((void *)-2)
        typedef struct { const char *dli_fname; void *dli_fbase; const char *dli_sname; void *dli_saddr; } Dl_info;
        void *dlsym(void *, const char *);
        int dladdr(const void *, Dl_info *);
        """,
        "pthread.h": """
        #include <stddef.h>
        typedef struct thread *pthread_t;
        typedef struct { int state; } pthread_attr_t;
        #define PTHREAD_CREATE_DETACHED 2
        pthread_t pthread_self(void);
        int pthread_atfork(void (*)(void), void (*)(void), void (*)(void));
        int pthread_attr_init(pthread_attr_t *);
        int pthread_attr_destroy(pthread_attr_t *);
        int pthread_attr_setstacksize(pthread_attr_t *, size_t);
        int pthread_attr_setdetachstate(pthread_attr_t *, int);
        int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
        """,
        "signal.h": """
        typedef unsigned int sigset_t;
        #define SIG_SETMASK 3
        int sigfillset(sigset_t *);
        int pthread_sigmask(int, const sigset_t *, sigset_t *);
        """,
        "sys/mman.h": """
        #include <stddef.h>
        #define PROT_READ 1
        #define PROT_WRITE 2
        #define MAP_PRIVATE 2
        #define MAP_ANON 0x1000
        #define MAP_FAILED ((void *)-1)
        void *mmap(void *, size_t, int, int, int, long long);
        int munmap(void *, size_t);
        int mlock(const void *, size_t);
        int munlock(const void *, size_t);
        int madvise(void *, size_t, int);
        """,
        "unistd.h": """
        #define _SC_PAGESIZE 29
        #define _SC_NPROCESSORS_ONLN 58
        long sysconf(int);
        """,
        "program.c": """
        #include "\(compiler.package.path)/Sources/CSQLCipher/shim.h"
        int change(sqlite3 *db) {
          return miniorm_key(db, "", 0) + miniorm_rekey(db, "", 0)
            + sqlite3_key_v2(db, "main", "", 0) + sqlite3_rekey_v2(db, "main", "", 0);
        }
        """,
      ]
      for (name, text) in sources {
        let file = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      // The shim's macros are invisible inside a module, but visible in a plain header.
      let ended = try await ChildProcess.run(
        String(compiler.path.dropLast("swiftc".count)) + "clang",
        [
          "-target", "arm64-apple-macosx15", "-nostdlibinc", "-fsyntax-only", "-Wall", "-Werror",
          "-F", ".",
          "-isystem", ".", "program.c",
        ] + (isModule ? ["-fmodules", "-fmodules-cache-path=cache"] : []), in: folder)
      #expect(ended == .init(status: 0, output: ""))
    }
  }
#endif
