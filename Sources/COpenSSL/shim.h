// The libcrypto headers that OpenSSLCrypto uses, and the POSIX calls for private key files. Inline wrappers stand only
// where Swift cannot call a macro or a variadic function; they hold no logic.
#ifndef OFFERD_COPENSSL_SHIM_H
#define OFFERD_COPENSSL_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// EVP_EC_gen is a macro over a variadic function.
static inline EVP_PKEY *offerd_EVP_EC_gen(const char *curve) { return EVP_EC_gen(curve); }

// open is variadic.
static inline int offerd_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

// errno and the file type tests are macros.
static inline int offerd_errno(void) { return errno; }
static inline int offerd_S_ISREG(mode_t mode) { return S_ISREG(mode); }
static inline int offerd_S_ISDIR(mode_t mode) { return S_ISDIR(mode); }

#endif
