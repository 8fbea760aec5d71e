#ifndef MINIORM_COPENSSL_SHIM_H
#define MINIORM_COPENSSL_SHIM_H

#if __has_include(<openssl/evp.h>)
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#else
#error "OpenSSL's headers were not found. Run scripts/install-sqlcipher from MiniORM's checkout, or install libssl-dev (Debian, Ubuntu), openssl-devel (Fedora) or openssl-dev (Alpine)."
#endif

#endif
