// What the two measurements share: statements from a file, one a line, and the values they are given.
#include <sqlite3.h>
#include <stdint.h>

#define MOST_STATEMENTS 32

typedef struct {
    sqlite3 *connection;
    sqlite3_stmt *statements[MOST_STATEMENTS];
    int count;
    // Where the statements begin that are run once for a whole commit: the first UPDATE.
    int first_update;
    sqlite3_stmt *begin_read, *begin_write, *commit;
} store;

// Opens a database with WAL and synchronous=FULL, and prepares every line of a file; ends the program on an error.
store store_open(const char *database, const char *statements);
// Binds a number and a text to ?1 and ?2 and so on, as far as the statement has them.
void store_bind_number(sqlite3_stmt *statement, int place, int64_t number);
void store_bind_text(sqlite3_stmt *statement, int place, const char *text);
// Runs a statement to its end, touching every column of every row; returns how many rows there were.
int store_run(sqlite3 *connection, sqlite3_stmt *statement);
// A step of xorshift64*: numbers and UUIDs need no cryptographic generator here.
uint64_t next_random(uint64_t *state);
double now_seconds(void);
void fail(const char *what, const char *detail);

int measure_commits(const char *database, const char *statements, int waiters, double seconds);
int measure_reads(const char *database, const char *statements, int threads, double seconds, int customers);
