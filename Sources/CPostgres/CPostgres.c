#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

// Each function: result, name, parameters, arguments.
#define FUNCTIONS(F) \
    F(PGconn *, connectdbParams, (const char *const *a, const char *const *b, int c), (a, b, c)) \
    F(int, setnonblocking, (PGconn *a, int b), (a, b)) \
    F(int, status, (const PGconn *a), (a)) \
    F(int, transactionStatus, (const PGconn *a), (a)) \
    F(const char *, parameterStatus, (const PGconn *a, const char *b), (a, b)) \
    F(int, serverVersion, (const PGconn *a), (a)) \
    F(const char *, errorMessage, (const PGconn *a), (a)) \
    F(PGresult *, exec, (PGconn *a, const char *b), (a, b)) \
    F(int, putCopyData, (PGconn *a, const char *b, int c), (a, b, c)) \
    F(int, putCopyEnd, (PGconn *a, const char *b), (a, b)) \
    F(int, sendQueryParams, \
      (PGconn *a, const char *b, int c, const Oid *d, const char *const *e, const int *f, const int *g, int h), \
      (a, b, c, d, e, f, g, h)) \
    F(int, sendPrepare, (PGconn *a, const char *b, const char *c, int d, const Oid *e), (a, b, c, d, e)) \
    F(int, sendQueryPrepared, \
      (PGconn *a, const char *b, int c, const char *const *d, const int *e, const int *f, int g), (a, b, c, d, e, f, g)) \
    F(int, enterPipelineMode, (PGconn *a), (a)) \
    F(int, exitPipelineMode, (PGconn *a), (a)) \
    F(int, pipelineSync, (PGconn *a), (a)) \
    F(int, flush, (PGconn *a), (a)) \
    F(int, socket, (const PGconn *a), (a)) \
    F(int, consumeInput, (PGconn *a), (a)) \
    F(PGresult *, getResult, (PGconn *a), (a)) \
    F(int, resultStatus, (const PGresult *a), (a)) \
    F(const char *, resultErrorField, (const PGresult *a, int b), (a, b)) \
    F(int, ntuples, (const PGresult *a), (a)) \
    F(int, nfields, (const PGresult *a), (a)) \
    F(Oid, ftype, (const PGresult *a, int b), (a, b)) \
    F(int, getisnull, (const PGresult *a, int b, int c), (a, b, c)) \
    F(int, getlength, (const PGresult *a, int b, int c), (a, b, c)) \
    F(const char *, getvalue, (const PGresult *a, int b, int c), (a, b, c)) \
    F(const char *, cmdTuples, (PGresult *a), (a)) \
    F(const char *, cmdStatus, (PGresult *a), (a))

#define PROCEDURES(F) \
    F(finish, (PGconn *a), (a)) \
    F(clear, (PGresult *a), (a))

static struct {
#define MEMBER(type, name, parameters, arguments) type(*name) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
#define MEMBER(name, parameters, arguments) void(*name) parameters;
    PROCEDURES(MEMBER)
#undef MEMBER
} functions;

static const char *failure;

#ifdef __APPLE__
#define LIBRARY "libpq.5.dylib"
#else
#define LIBRARY "libpq.so.5"
#endif

static void load(void) {
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        failure = strdup(dlerror());
        return;
    }
#define LOAD(type, name, parameters, arguments) \
    if ((*(void **)&functions.name = dlsym(library, "PQ" #name)) == NULL) failure = "libpq has no function PQ" #name;
    FUNCTIONS(LOAD)
#undef LOAD
#define LOAD(name, parameters, arguments) \
    if ((*(void **)&functions.name = dlsym(library, "PQ" #name)) == NULL) failure = "libpq has no function PQ" #name;
    PROCEDURES(LOAD)
#undef LOAD
}

const char *offerd_pq_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failure;
}

#define FORWARD(type, name, parameters, arguments) \
    type offerd_pq_##name parameters { return functions.name arguments; }
FUNCTIONS(FORWARD)
#undef FORWARD
#define FORWARD(name, parameters, arguments) \
    void offerd_pq_##name parameters { functions.name arguments; }
PROCEDURES(FORWARD)
#undef FORWARD

PGconn *offerd_pq_connect(const char *url) {
    static const char *const names[] = {
        "connect_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout",
        "target_session_attrs", "application_name", "dbname", NULL,
    };
    const char *const values[] = {"3", "2", "1", "3", "5000", "read-write", "offerd", url, NULL};
    PGconn *connection = functions.connectdbParams(names, values, 1);
    if (functions.status(connection) == OFFERD_PQ_CONNECTION_OK && functions.setnonblocking(connection, 1) == 0)
        functions.enterPipelineMode(connection);
    return connection;
}
