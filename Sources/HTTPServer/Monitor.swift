internal import Platform

/// A value under a lock, with threads that wait for changes: `pthread_mutex_t` and `pthread_cond_t`.
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

    /// Calls `body` at once and after each change until it returns a value; nil if the time ends first.
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
            var time = end.untilThen
            unsafe pthread_cond_timedwait_relative_np(changed, mutex, &time)
        #endif
    }
}

/// A time of the monotonic clock (`CLOCK_MONOTONIC`), in nanoseconds.
package struct MonotonicTime: Comparable, Sendable {
    let nanoseconds: Int64

    /// Later than any other time.
    package static let never = MonotonicTime(nanoseconds: .max)

    /// The current time.
    package static var now: MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Orders by time.
    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The time after `duration`; `never` if it overflows.
    package static func + (left: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (part, isTooLate) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let (sum, isNever) = left.nanoseconds.addingReportingOverflow(part)
        return isTooLong || isTooLate || isNever ? .never : MonotonicTime(nanoseconds: sum)
    }

    /// The time as a `timespec`.
    var specification: timespec {
        timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    /// The time from now as a `timespec`.
    var untilThen: timespec {
        MonotonicTime(nanoseconds: max(0, nanoseconds - Self.now.nanoseconds)).specification
    }
}

/// A thread of the server.
package enum ServerThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` in a detached thread.
    ///
    /// - Returns: Whether the thread started.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = unsafe Unmanaged.passRetained(Work(body))
        let code = unsafe platform_start_thread(0, run, work.toOpaque())
        if code != 0 { unsafe work.release() }
        return code == 0
    }

    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
        {
            if let work = unsafe $0 {
                unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
            }
            return nil
        }
}
