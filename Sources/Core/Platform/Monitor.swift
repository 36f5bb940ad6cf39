internal import Synchronization

/// A value under a lock, with threads that wait for its changes: `pthread_mutex_t` and `pthread_cond_t`.
///
/// `@unchecked Sendable`: the value is accessed only under the lock.
@safe package final class Monitor<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    /// Creates a monitor with an initial value.
    package init(_ state: State) {
        self.state = state
        unsafe mutex = .allocate(capacity: 1)
        unsafe changed = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe changed.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        #if os(Linux)
            var attributes = pthread_condattr_t()
            unsafe pthread_condattr_init(&attributes)
            unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            unsafe pthread_cond_init(changed, &attributes)
            unsafe pthread_condattr_destroy(&attributes)
        #else
            unsafe pthread_cond_init(changed, nil)
        #endif
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Changes or reads the value, and wakes all waiting threads.
    package func update<Result>(_ body: (inout State) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(changed)
            unsafe pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Reads the value.
    package func read<Result>(_ body: (State) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(state)
    }

    /// Calls `body` now and after each change until it returns a value; nil at the deadline.
    package func wait<Result>(
        until end: MonotonicTime = .never, for body: (inout State) -> Result?
    ) -> Result? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            if end <= .now { return nil }
            sleep(until: end)
        }
    }

    private func sleep(until end: MonotonicTime) {
        if end == .never {
            unsafe pthread_cond_wait(changed, mutex)
            return
        }
        #if os(Linux)
            var time = end.specification
            unsafe pthread_cond_timedwait(changed, mutex, &time)
        #else
            var time = end.remaining
            unsafe pthread_cond_timedwait_relative_np(changed, mutex, &time)
        #endif
    }
}

/// Serialises calls. Not recursive: a nested call on the same thread deadlocks or ends the process.
///
/// `Mutex` requires sendable results, but the results of a caller's function stay on their own thread.
@safe package struct CallLock: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    package borrowing func withLock<Value: ~Copyable>(
        _ body: () throws -> Value
    ) rethrows -> Value {
        acquire()
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Lets other threads run while the lock is taken, and sleeps only if it is taken for long: to wake a sleeping thread takes as long as a short
    /// call, and meanwhile nobody has the lock.
    private borrowing func acquire() {
        for _ in 0..<50 {
            if unsafe pthread_mutex_trylock(mutex) == 0 { return }
            sched_yield()
        }
        unsafe pthread_mutex_lock(mutex)
    }

    /// As ``withLock(_:)``, but nil if another thread holds the lock.
    package borrowing func withLockIfAvailable<Value>(
        _ body: () throws -> Value
    ) rethrows -> Value? {
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }
}

/// A value that many threads use in turn. Not recursive, as ``CallLock``.
///
/// On Linux the standard library's `Mutex` hands a lock to the thread that waits longest (`FUTEX_UNLOCK_PI`), and until that thread runs no thread
/// has it: fifty clients of an agent then cost a switch of threads at each use. This lock is free at once for a thread that runs.
///
/// `@unchecked Sendable`: the value is accessed only under the lock.
@safe package final class LockedValue<Value>: @unchecked Sendable {
    private let lock = CallLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func withLock<Result: ~Copyable>(
        _ body: (inout Value) throws -> Result
    ) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }

    /// As ``withLock(_:)``, but nil if another thread holds the lock.
    package func withLockIfAvailable<Result>(
        _ body: (inout Value) throws -> Result
    ) rethrows -> Result? {
        try lock.withLockIfAvailable { try body(&value) }
    }
}
