// SQLite's interface, and what of it Swift cannot call: variadic functions.
#ifndef OFFERD_CSQLITE_SHIM_H
#define OFFERD_CSQLITE_SHIM_H

#include <sqlite3.h>

// Whether SQLite counts the memory it takes.
static inline int offerd_sqlite3_config_memstatus(int counts) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, counts);
}

// Makes "text" in double quotes the name of a column and never a string.
static inline int offerd_sqlite3_refuse_quoted_strings(sqlite3 *connection) {
    int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    return code != SQLITE_OK ? code : sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}

#endif
