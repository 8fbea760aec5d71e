#ifndef MINIORM_CCURL_SHIM_H
#define MINIORM_CCURL_SHIM_H

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
#else
#error "MiniORMBackupS3 needs libcurl's headers, which were not found. Run scripts/install-libcurl from MiniORM's checkout, or install libcurl4-openssl-dev (Debian, Ubuntu), libcurl-devel (Fedora) or curl-dev (Alpine)."
#endif

#include <pthread.h>
#include <signal.h>
#include <time.h>

// Swift cannot call functions with a variable number of arguments, such as curl_easy_setopt.

// A write to a closed connection raises SIGPIPE in the writing thread, which would end the process.
static inline void ccurl_block_pipe_signal(sigset_t *former) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, former);
}

static inline void ccurl_discard_pipe_signal(const sigset_t *former) {
  if (!sigismember(former, SIGPIPE)) {
    const struct timespec none = {0, 0};
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    while (sigtimedwait(&signals, NULL, &none) == SIGPIPE) {
    }
  }
  pthread_sigmask(SIG_SETMASK, former, NULL);
}

static inline int ccurl_initialize(void) { return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK; }

// Returns NULL without memory.
static inline void *ccurl_create(void) { return curl_easy_init(); }

static inline void ccurl_free(void *handle) {
  sigset_t former;
  ccurl_block_pipe_signal(&former);
  curl_easy_cleanup(handle);  // may send the end of a TLS connection
  ccurl_discard_pipe_signal(&former);
}

struct ccurl_request {
  const char *method;
  const char *url;
  struct curl_slist *headers;
  const void *body;  // NULL for a request without a body
  size_t body_size;
  long connect_milliseconds;
  curl_write_callback on_header;
  curl_write_callback on_body;
  curl_xferinfo_callback on_progress;
  void *context;
};

// Sends a request, and returns when the answer has ended.
static inline CURLcode ccurl_perform(void *handle, const struct ccurl_request *request) {
  CURL *easy = handle;
  CURLcode code = CURLE_OK;
  curl_easy_reset(easy);  // keeps the connections
#define CCURL_SET(option, value) \
  if (code == CURLE_OK) code = curl_easy_setopt(easy, option, value)
  CCURL_SET(CURLOPT_NOSIGNAL, 1L);
  CCURL_SET(CURLOPT_URL, request->url);
  CCURL_SET(CURLOPT_PATH_AS_IS, 1L);
  CCURL_SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  CCURL_SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  CCURL_SET(CURLOPT_CONNECTTIMEOUT_MS, request->connect_milliseconds);
  if (request->body) {
    CCURL_SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_size);
    CCURL_SET(CURLOPT_POSTFIELDS, request->body);
  }
  CCURL_SET(CURLOPT_CUSTOMREQUEST, request->method);
  CCURL_SET(CURLOPT_HTTPHEADER, request->headers);
  CCURL_SET(CURLOPT_HEADERFUNCTION, request->on_header);
  CCURL_SET(CURLOPT_HEADERDATA, request->context);
  CCURL_SET(CURLOPT_WRITEFUNCTION, request->on_body);
  CCURL_SET(CURLOPT_WRITEDATA, request->context);
  CCURL_SET(CURLOPT_NOPROGRESS, 0L);
  CCURL_SET(CURLOPT_XFERINFOFUNCTION, request->on_progress);
  CCURL_SET(CURLOPT_XFERINFODATA, request->context);
#undef CCURL_SET
  if (code != CURLE_OK) return code;
  sigset_t former;
  ccurl_block_pipe_signal(&former);
  code = curl_easy_perform(easy);
  ccurl_discard_pipe_signal(&former);
  return code;
}

#endif
