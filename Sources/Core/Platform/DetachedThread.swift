/// A detached thread.
package enum DetachedThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` in a new thread.
    ///
    /// The corresponding C function is `pthread_create`.
    ///
    /// - Parameters:
    ///   - stackSize: The size of its stack, in bytes; 0 for the default.
    ///   - body: The work.
    /// - Returns: Whether the thread was started.
    package static func start(
        stackSize: Int = 0, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
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
