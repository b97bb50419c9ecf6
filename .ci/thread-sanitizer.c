// Lets Thread Sanitizer see the slow path of Synchronization.Mutex on Linux.
//
// The fast path is inlined into the caller, with atomics that the sanitizer knows. When a lock is contended, lock and
// unlock go on in libswiftSynchronization.so, which is not built for the sanitizer, and through futex(2): then it sees
// no order between one owner and the next and reports races that are none. Preloaded, this stands before the three
// functions of that library, tells the sanitizer, and calls them.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define swift __attribute__((swiftcall))
#define context __attribute__((swift_context))

// Absent in programs without the sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

swift void lock_slow(uint32_t, context void *) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
swift bool try_slow(context void *) __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
swift void unlock_slow(context void *) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

swift void lock_slow(uint32_t thread, context void *mutex) {
    swift void (*next)(uint32_t, context void *) =
        dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    next(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

swift bool try_slow(context void *mutex) {
    swift bool (*next)(context void *) = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
    bool locked = next(mutex);
    if (locked && __tsan_acquire) __tsan_acquire(mutex);
    return locked;
}

swift void unlock_slow(context void *mutex) {
    swift void (*next)(context void *) = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    if (__tsan_release) __tsan_release(mutex);
    next(mutex);
}
