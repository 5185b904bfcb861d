// What the store uses of libpq, PostgreSQL's client library, which is loaded when a database of PostgreSQL is opened: a
// server on SQLite needs no libpq, neither to run nor to build. Each function is that of libpq without the prefix.
#ifndef OFFERD_CPOSTGRES_H
#define OFFERD_CPOSTGRES_H

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef unsigned int Oid;

// Values of libpq's enumerations, the same in every version.
#define OFFERD_PQ_CONNECTION_OK 0
#define OFFERD_PQ_COMMAND_OK 1
#define OFFERD_PQ_TUPLES_OK 2
#define OFFERD_PQ_COPY_IN 4
#define OFFERD_PQ_PIPELINE_SYNC 10
#define OFFERD_PQ_IDLE 0
// Fields of an error: letters.
#define OFFERD_PQ_SQLSTATE 67
#define OFFERD_PQ_MESSAGE 77
#define OFFERD_PQ_DETAIL 68
#define OFFERD_PQ_TABLE 116
#define OFFERD_PQ_COLUMN 99
#define OFFERD_PQ_CONSTRAINT 110

// Loads libpq, once. Returns NULL, or why it cannot be loaded; to be called before any other function.
const char *offerd_pq_load(void);

// Connects to a URL. What it does not say: a lost connection is noticed within seconds, and a server that only reads is
// no answer.
PGconn *offerd_pq_connect(const char *url);
void offerd_pq_finish(PGconn *connection);
int offerd_pq_status(const PGconn *connection);
int offerd_pq_transactionStatus(const PGconn *connection);
const char *offerd_pq_parameterStatus(const PGconn *connection, const char *name);
int offerd_pq_serverVersion(const PGconn *connection);
const char *offerd_pq_errorMessage(const PGconn *connection);
PGresult *offerd_pq_exec(PGconn *connection, const char *sql);
int offerd_pq_putCopyData(PGconn *connection, const char *data, int size);
int offerd_pq_putCopyEnd(PGconn *connection, const char *error);
int offerd_pq_sendQueryParams(
    PGconn *connection, const char *sql, int count, const Oid *types, const char *const *values, const int *lengths,
    const int *formats, int resultFormat);
int offerd_pq_sendPrepare(PGconn *connection, const char *name, const char *sql, int count, const Oid *types);
int offerd_pq_sendQueryPrepared(
    PGconn *connection, const char *name, int count, const char *const *values, const int *lengths, const int *formats,
    int resultFormat);
int offerd_pq_enterPipelineMode(PGconn *connection);
int offerd_pq_exitPipelineMode(PGconn *connection);
int offerd_pq_pipelineSync(PGconn *connection);
int offerd_pq_flush(PGconn *connection);
int offerd_pq_socket(const PGconn *connection);
int offerd_pq_consumeInput(PGconn *connection);
PGresult *offerd_pq_getResult(PGconn *connection);
int offerd_pq_resultStatus(const PGresult *result);
const char *offerd_pq_resultErrorField(const PGresult *result, int field);
int offerd_pq_ntuples(const PGresult *result);
int offerd_pq_nfields(const PGresult *result);
Oid offerd_pq_ftype(const PGresult *result, int column);
int offerd_pq_getisnull(const PGresult *result, int row, int column);
int offerd_pq_getlength(const PGresult *result, int row, int column);
const char *offerd_pq_getvalue(const PGresult *result, int row, int column);
const char *offerd_pq_cmdTuples(PGresult *result);
const char *offerd_pq_cmdStatus(PGresult *result);
void offerd_pq_clear(PGresult *result);

#endif
