#if os(Linux)
    internal import CSystemd

    /// libsystemd, loaded on first use and never unloaded.
    @safe struct SystemdLibrary: @unchecked Sendable {
        /// The functions of the library. They are constant after loading.
        let functions: UnsafePointer<csystemd_library>

        /// Loads the first available library of these names.
        init?(names: [String]) {
            for name in names {
                if let functions = unsafe csystemd_load(name) {
                    unsafe self.functions = unsafe functions
                    return
                }
            }
            return nil
        }

        /// The library of this process; nil if neither libsystemd nor libelogind is installed. Both
        /// have the same functions.
        static let shared = SystemdLibrary(names: ["libsystemd.so.0", "libelogind.so.0"])
    }
#endif
