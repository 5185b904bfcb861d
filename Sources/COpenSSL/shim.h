// The libcrypto headers that OpenSSLCrypto uses, and the POSIX calls for private key files. Inline wrappers stand only
// where Swift cannot call a macro or a variadic function; they hold no logic.
#ifndef OFFERD_COPENSSL_SHIM_H
#define OFFERD_COPENSSL_SHIM_H

#include <dlfcn.h>
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
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#ifndef OPENSSL_NO_ENGINE
#include <openssl/engine.h>
#endif

// EVP_EC_gen is a macro over a variadic function.
static inline EVP_PKEY *offerd_EVP_EC_gen(const char *curve) { return EVP_EC_gen(curve); }

// libcrypto reaches tokens through an engine. OpenSSL 3 deprecates engines, and Debian 12 has no provider for PKCS #11 yet.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// The engine with functional and structural references, which are never given back; NULL without such an engine.
static inline void *offerd_pkcs11_engine(const char *module) {
#ifndef OPENSSL_NO_ENGINE
    ENGINE_load_dynamic();
    ENGINE *engine = ENGINE_by_id("pkcs11");
    if (engine == NULL) return NULL;
    // It would write what it finds wrong to standard error, among the lines of the log.
    if (ENGINE_ctrl_cmd_string(engine, "QUIET", NULL, 0) == 1
        && (module == NULL || ENGINE_ctrl_cmd_string(engine, "MODULE_PATH", module, 0) == 1) && ENGINE_init(engine) == 1)
        return engine;
    ENGINE_free(engine);
#endif
    return NULL;
}

static inline EVP_PKEY *offerd_pkcs11_private_key(void *engine, const char *uri, const char *pin) {
#ifndef OPENSSL_NO_ENGINE
    if (ENGINE_ctrl_cmd_string((ENGINE *)engine, "PIN", pin, 0) != 1) return NULL;
    // A method that reads nothing: the default one would ask the terminal and let a service hang.
    return ENGINE_load_private_key((ENGINE *)engine, uri, (UI_METHOD *)UI_null(), NULL);
#else
    return NULL;
#endif
}
#pragma GCC diagnostic pop

static inline int offerd_ERR_GET_REASON(unsigned long code) { return ERR_GET_REASON(code); }

// open is variadic.
static inline int offerd_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

// On macOS fsync leaves the bytes in the drive's cache, and not every file system has more.
static inline int offerd_fsync(int descriptor) {
#ifdef F_FULLFSYNC
    if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
#endif
    return fsync(descriptor);
}

// errno and the file type tests are macros.
static inline int offerd_errno(void) { return errno; }
static inline int offerd_S_ISREG(mode_t mode) { return S_ISREG(mode); }
static inline int offerd_S_ISDIR(mode_t mode) { return S_ISDIR(mode); }

#endif
