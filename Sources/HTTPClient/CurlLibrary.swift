internal import CCurl

/// libcurl, which is loaded when it is first wanted and stays.
@safe struct CurlLibrary: @unchecked Sendable {
    /// Its functions. Nobody writes to them after they were found.
    let functions: OpaquePointer

    /// Loads the first library of these names that is there.
    init?(names: [String]) {
        for name in names {
            if let functions = unsafe ccurl_load(name) {
                unsafe self.functions = unsafe functions
                return
            }
        }
        return nil
    }

    #if os(macOS)
        private static let names = ["/usr/lib/libcurl.4.dylib"]
    #else
        private static let names = ["libcurl.so.4"]
    #endif

    /// The library of this process; nil where the system has none.
    static let shared = CurlLibrary(names: names)
}
