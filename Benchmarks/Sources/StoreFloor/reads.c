// Reading one customer with nothing around it: the first statement finds the customer, the others read what is known.
#include "store_floor.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *path, *statements;
    double seconds;
    int customers;
    uint64_t random;
    int64_t read, rows;
} reader;

static void read_customer(reader *self, store *database) {
    char original[24], app[24];
    long long identifier = 100000000000ll + (long long)(next_random(&self->random) % (uint64_t)self->customers) * 64;
    snprintf(original, sizeof original, "%lld", identifier);
    snprintf(app, sizeof app, "%lld", identifier + 63);
    sqlite3_stmt *first = database->statements[0];
    store_bind_text(first, 1, original);
    if (sqlite3_step(first) != SQLITE_ROW) fail("no customer", original);
    int64_t customer = sqlite3_column_int64(first, 0);
    sqlite3_reset(first);
    for (int index = 1; index < database->count; index++) {
        sqlite3_stmt *statement = database->statements[index];
        store_bind_text(statement, 1, original);
        store_bind_number(statement, 2, customer);
        store_bind_text(statement, 3, app);
        self->rows += store_run(database->connection, statement);
    }
    self->read++;
}

static void *read_on(void *argument) {
    reader *self = argument;
    store database = store_open(self->path, self->statements);
    double began = now_seconds();
    while (now_seconds() - began < self->seconds) {
        store_run(database.connection, database.begin_read);
        read_customer(self, &database);
        store_run(database.connection, database.commit);
    }
    return NULL;
}

int measure_reads(const char *path, const char *statements, int threads, double seconds, int customers) {
    if (threads < 1 || threads > 64 || customers < 1) fail("threads or customers", "1 to 64 threads are possible");
    reader readers[64];
    pthread_t running[64];
    for (int index = 0; index < threads; index++) {
        readers[index] = (reader){.path = path, .statements = statements, .seconds = seconds, .customers = customers,
                                  .random = 88172645463325252ull + (uint64_t)index};
        pthread_create(&running[index], NULL, read_on, &readers[index]);
    }
    int64_t read = 0, rows = 0;
    for (int index = 0; index < threads; index++) {
        pthread_join(running[index], NULL);
        read += readers[index].read;
        rows += readers[index].rows;
    }
    printf("{\"perSecond\": %.1f, \"rows\": %.1f}\n", (double)read / seconds, (double)rows / (double)read);
    return 0;
}
