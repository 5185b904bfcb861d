// usage: StoreFloor commit DATABASE STATEMENTS WAITERS SECONDS
//        StoreFloor read DATABASE STATEMENTS THREADS SECONDS CUSTOMERS
//
// The floors of recording and of reading: SQLite's C API and nothing else, with WAL and synchronous=FULL. STATEMENTS has one
// statement a line, which Benchmarks/Service/floors.py takes from a database of the service.
#include "store_floor.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
    if (count == 6 && strcmp(arguments[1], "commit") == 0)
        return measure_commits(arguments[2], arguments[3], atoi(arguments[4]), atof(arguments[5]));
    if (count == 7 && strcmp(arguments[1], "read") == 0)
        return measure_reads(arguments[2], arguments[3], atoi(arguments[4]), atof(arguments[5]), atoi(arguments[6]));
    fprintf(stderr, "error: say `commit` or `read` and what it needs; main.c has the usage\n");
    return 2;
}
