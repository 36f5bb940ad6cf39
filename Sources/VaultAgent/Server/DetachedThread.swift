internal import Platform

/// A detached thread.
enum DetachedThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// The stack size of such a thread, in bytes: slightly more than SQLite and libsodium need.
    private static let stackSize = 1 << 20

    /// Runs `body` in a thread of its own.
    ///
    /// - Returns: Whether the thread was started.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = unsafe Unmanaged.passRetained(Work(body))
        let code = unsafe platform_start_thread(stackSize, run, work.toOpaque())
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
