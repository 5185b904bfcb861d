// Group commit with nothing around it: waiters hand a number to one writer, which commits what is there.
#include "store_floor.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct waiter {
    pthread_cond_t done;
    bool is_waiting;
} waiter;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    waiter *queue[1024];
    int queued;
    bool is_over;
} turns;

static turns shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .arrived = PTHREAD_COND_INITIALIZER};

static void *ask(void *argument) {
    waiter *self = argument;
    pthread_mutex_lock(&shared.lock);
    while (!shared.is_over) {
        self->is_waiting = true;
        shared.queue[shared.queued++] = self;
        if (shared.queued == 1) pthread_cond_signal(&shared.arrived);
        while (self->is_waiting && !shared.is_over) pthread_cond_wait(&self->done, &shared.lock);
    }
    pthread_mutex_unlock(&shared.lock);
    return NULL;
}

// Version 7, where a number stands for the time, or version 4: what is stored in the order of time makes indexes grow at one end.
static void make_uuid(char *text, int64_t time, uint64_t *random) {
    uint64_t high = time ? (uint64_t)time << 16 : next_random(random), low = next_random(random);
    snprintf(text, 37, "%08x-%04x-%c%03x-8%03x-%012llx", (unsigned)(high >> 32), (unsigned)(high >> 16 & 0xFFFF),
             time ? '7' : '4', (unsigned)(low >> 40 & 0xFFF), (unsigned)(low >> 52),
             (unsigned long long)(low & 0xFFFFFFFFFFFF));
}

static void run(store *database, int begin, int end, int64_t number, char texts[3][37]) {
    for (int index = begin; index < end; index++) {
        sqlite3_stmt *statement = database->statements[index];
        store_bind_number(statement, 1, number);
        for (int text = 0; text < 3; text++) store_bind_text(statement, text + 2, texts[text]);
        store_run(database->connection, statement);
    }
}

// The rows of so many, and what is updated once for all of them.
static void record(store *database, int64_t first, int count, uint64_t *random) {
    char texts[3][37];
    for (int64_t number = first; number < first + count; number++) {
        make_uuid(texts[0], number, random);
        make_uuid(texts[1], number, random);
        make_uuid(texts[2], 0, random);
        run(database, 0, database->first_update, number, texts);
    }
    run(database, database->first_update, database->count, first + count - 1, texts);
}

int measure_commits(const char *path, const char *statements, int waiters, double seconds) {
    store database = store_open(path, statements);
    waiter *all = calloc((size_t)waiters, sizeof(waiter));
    pthread_t *threads = calloc((size_t)waiters, sizeof(pthread_t));
    if (!all || !threads || waiters < 1 || waiters > 1024) fail("waiters", "1 to 1024 are possible");
    for (int index = 0; index < waiters; index++) {
        pthread_cond_init(&all[index].done, NULL);
        pthread_create(&threads[index], NULL, ask, &all[index]);
    }
    uint64_t random = 88172645463325252ull;
    int64_t number = 0, batches = 0;
    double began = now_seconds(), time = 0;
    waiter *batch[1024];
    while ((time = now_seconds() - began) < seconds) {
        pthread_mutex_lock(&shared.lock);
        while (shared.queued == 0) pthread_cond_wait(&shared.arrived, &shared.lock);
        int count = shared.queued;
        for (int index = 0; index < count; index++) batch[index] = shared.queue[index];
        shared.queued = 0;
        pthread_mutex_unlock(&shared.lock);
        store_run(database.connection, database.begin_write);
        record(&database, number + 1, count, &random);
        number += count;
        store_run(database.connection, database.commit);
        batches++;
        pthread_mutex_lock(&shared.lock);
        for (int index = 0; index < count; index++) {
            batch[index]->is_waiting = false;
            pthread_cond_signal(&batch[index]->done);
        }
        pthread_mutex_unlock(&shared.lock);
    }
    pthread_mutex_lock(&shared.lock);
    shared.is_over = true;
    for (int index = 0; index < waiters; index++) pthread_cond_signal(&all[index].done);
    pthread_mutex_unlock(&shared.lock);
    for (int index = 0; index < waiters; index++) pthread_join(threads[index], NULL);
    printf("{\"perSecond\": %.1f, \"batch\": %.1f}\n", (double)number / time, (double)number / (double)batches);
    return 0;
}
