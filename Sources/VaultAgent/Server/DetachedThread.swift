internal import Platform

/// A thread that ends by itself.
enum DetachedThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// The stack of such a thread, in bytes: little more than SQLite's and libsodium's calls need.
    private static let stackSize = 1 << 20

    /// Runs `body` in a thread of its own.
    ///
    /// - Returns: Whether there was one to be had.
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
