/* A disk that takes SLOW_DISK_MICROSECONDS longer for each flush, as a volume over a network does. Preloaded into offerd; counts the
   flushes in the file SLOW_DISK_COUNT, 8 bytes that are mapped. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint64_t *count;
static struct timespec delay;
static int (*next_fdatasync)(int);
static int (*next_fsync)(int);

__attribute__((constructor)) static void begin(void) {
    next_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    next_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    const char *text = getenv("SLOW_DISK_MICROSECONDS");
    long microseconds = text ? strtol(text, NULL, 10) : 0;
    delay.tv_sec = microseconds / 1000000;
    delay.tv_nsec = microseconds % 1000000 * 1000;
    const char *path = getenv("SLOW_DISK_COUNT");
    int file = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
    if (file < 0 || ftruncate(file, sizeof *count) != 0) return;
    void *mapped = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) count = mapped;
    close(file);
}

static void wait_and_count(void) {
    if (count) atomic_fetch_add(count, 1);
    if (delay.tv_sec || delay.tv_nsec) nanosleep(&delay, NULL);
}

int fdatasync(int file) {
    wait_and_count();
    return next_fdatasync(file);
}

int fsync(int file) {
    wait_and_count();
    return next_fsync(file);
}
