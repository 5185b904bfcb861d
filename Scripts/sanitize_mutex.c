// Reports operations on Swift's `Mutex` on Linux that the thread sanitizer cannot see; built and preloaded by Scripts/sanitize.
//
// Locking and unlocking an uncontended Mutex is inlined into the program, where the sanitizer sees it. A contended Mutex is
// handed over by the kernel (FUTEX_LOCK_PI), called from libswiftSynchronization.so, which is not built for the sanitizer.
// Without this file, such a Mutex looks as if it had never been locked, and access to what it protects looks like a race.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

// The sanitizer's own functions; absent in programs that the tests start without the sanitizer.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

typedef SWIFT void (*Lock)(uint32_t, SELF);
typedef SWIFT bool (*Try)(SELF);
typedef SWIFT void (*Unlock)(SELF);

#define REAL(type, name) ((type)dlsym(RTLD_NEXT, name))

static const char lock_name[] = "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF";
static const char try_name[] = "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF";
static const char unlock_name[] = "$s15Synchronization12_MutexHandleV11_unlockSlowyyF";

SWIFT void lock_slow(uint32_t, SELF) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT bool try_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
SWIFT void unlock_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void lock_slow(uint32_t thread, SELF mutex) {
    static Lock real;
    if (!real) real = REAL(Lock, lock_name);
    real(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_slow(SELF mutex) {
    static Try real;
    if (!real) real = REAL(Try, try_name);
    bool is_taken = real(mutex);
    if (is_taken && __tsan_acquire) __tsan_acquire(mutex);
    return is_taken;
}

SWIFT void unlock_slow(SELF mutex) {
    static Unlock real;
    if (!real) real = REAL(Unlock, unlock_name);
    if (__tsan_release) __tsan_release(mutex);
    real(mutex);
}
