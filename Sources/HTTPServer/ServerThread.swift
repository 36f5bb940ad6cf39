internal import CPlatform
internal import CSodium

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A thread of the server.
package enum ServerThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` in a thread that ends by itself.
    ///
    /// The corresponding C function is `pthread_create`.
    ///
    /// - Returns: Whether there was one to be had.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let work = unsafe Unmanaged.passRetained(Work(body))
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        let code = unsafe pthread_create(&thread, &attributes, run, work.toOpaque())
        if code != 0 { unsafe work.release() }
        return code == 0
    }

    #if canImport(Glibc)
        private static let run:
            @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
                if let work = unsafe $0 {
                    unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
                }
                return nil
            }
    #else
        private static let run:
            @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
                unsafe Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body()
                return nil
            }
    #endif
}
