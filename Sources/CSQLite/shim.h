// The call of SQLite's that GRDBSQLite does not hand to Swift, which cannot call a variadic function.
#ifndef OFFERD_CSQLITE_SHIM_H
#define OFFERD_CSQLITE_SHIM_H

#include <sqlite3.h>

// Whether SQLite counts the memory it takes.
static inline int offerd_sqlite3_config_memstatus(int counts) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, counts);
}

#endif
