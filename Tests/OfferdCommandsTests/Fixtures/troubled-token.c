// A PKCS #11 library that passes everything on to SoftHSM, with the troubles that files in $TOKEN_TROUBLE ask for:
// `lose`, once, ends every session before a signature; `refuse` lets no key sign.
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef unsigned long CK_ULONG;

// CK_FUNCTION_LIST of PKCS #11 2.40.
struct functions {
    unsigned char major, minor;
    void *entry[68];
};

enum { closeAllSessions = 14, getSessionInfo = 15, signInit = 42 };

static struct functions *real, own;

static int asks(const char *trouble, int once) {
    char path[4096];
    const char *directory = getenv("TOKEN_TROUBLE");
    snprintf(path, sizeof path, "%s/%s", directory ? directory : ".", trouble);
    return once ? unlink(path) == 0 : access(path, F_OK) == 0;
}

static CK_ULONG troubledSignInit(CK_ULONG session, void *mechanism, CK_ULONG key) {
    if (asks("refuse", 0)) return 0x68;  // CKR_KEY_FUNCTION_NOT_PERMITTED
    CK_ULONG info[4];
    if (asks("lose", 1) && ((CK_ULONG(*)(CK_ULONG, void *))real->entry[getSessionInfo])(session, info) == 0)
        ((CK_ULONG(*)(CK_ULONG))real->entry[closeAllSessions])(info[0]);
    return ((CK_ULONG(*)(CK_ULONG, void *, CK_ULONG))real->entry[signInit])(session, mechanism, key);
}

CK_ULONG C_GetFunctionList(void **list) {
    void *library = dlopen("/usr/lib/softhsm/libsofthsm2.so", RTLD_NOW);
    CK_ULONG (*get)(void **) = library ? (CK_ULONG(*)(void **))dlsym(library, "C_GetFunctionList") : NULL;
    if (get == NULL || get((void **)&real) != 0) return 5;  // CKR_GENERAL_ERROR
    own = *real;
    own.entry[signInit] = troubledSignInit;
    *list = &own;
    return 0;
}
