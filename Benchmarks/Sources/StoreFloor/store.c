#include "store_floor.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void fail(const char *what, const char *detail) {
    fprintf(stderr, "error: %s: %s\n", what, detail);
    exit(1);
}

double now_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

uint64_t next_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717ull;
}

static void execute(sqlite3 *connection, const char *sql) {
    if (sqlite3_exec(connection, sql, NULL, NULL, NULL) != SQLITE_OK) fail(sql, sqlite3_errmsg(connection));
}

static sqlite3_stmt *prepare(sqlite3 *connection, const char *sql) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
        fail(sql, sqlite3_errmsg(connection));
    return statement;
}

store store_open(const char *database, const char *statements) {
    store opened = {0};
    if (sqlite3_open_v2(database, &opened.connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        fail(database, sqlite3_errmsg(opened.connection));
    execute(opened.connection, "PRAGMA journal_mode = WAL");
    execute(opened.connection, "PRAGMA synchronous = FULL");
    execute(opened.connection, "PRAGMA cache_size = -65536");
    execute(opened.connection, "PRAGMA wal_autocheckpoint = 4000");
    opened.begin_read = prepare(opened.connection, "BEGIN");
    opened.begin_write = prepare(opened.connection, "BEGIN IMMEDIATE");
    opened.commit = prepare(opened.connection, "COMMIT");
    FILE *file = fopen(statements, "r");
    if (!file) fail(statements, "cannot be read");
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        if (opened.count == MOST_STATEMENTS) fail(statements, "too many statements");
        opened.statements[opened.count++] = prepare(opened.connection, line);
        if (strncmp(line, "UPDATE", 6) != 0) opened.first_update = opened.count;
    }
    free(line);
    fclose(file);
    return opened;
}

void store_bind_number(sqlite3_stmt *statement, int place, int64_t number) {
    if (place <= sqlite3_bind_parameter_count(statement)) sqlite3_bind_int64(statement, place, number);
}

void store_bind_text(sqlite3_stmt *statement, int place, const char *text) {
    if (place <= sqlite3_bind_parameter_count(statement)) sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

int store_run(sqlite3 *connection, sqlite3_stmt *statement) {
    int rows = 0, result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        rows++;
        int columns = sqlite3_column_count(statement);
        for (int column = 0; column < columns; column++) {
            if (sqlite3_column_type(statement, column) == SQLITE_INTEGER) sqlite3_column_int64(statement, column);
            else sqlite3_column_blob(statement, column);
        }
    }
    if (result != SQLITE_DONE) fail(sqlite3_sql(statement), sqlite3_errmsg(connection));
    sqlite3_reset(statement);
    return rows;
}
