internal import CPostgreSQL

/// libpq, which is loaded when it is first wanted and stays.
@safe struct PostgreSQLLibrary: @unchecked Sendable {
    /// Its functions. Nobody writes to them after they were found.
    let functions: UnsafePointer<cpostgresql_library>

    /// Loads the first library of these names that is there.
    init?(names: [String]) {
        for name in names {
            if let functions = unsafe cpostgresql_load(name) {
                unsafe self.functions = unsafe functions
                return
            }
        }
        return nil
    }

    #if os(macOS)
        private static let names = [
            "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
            "/usr/local/opt/libpq/lib/libpq.5.dylib",
        ]
    #else
        private static let names = ["libpq.so.5"]
    #endif

    /// The library of this process; nil where the system has none.
    static let shared = PostgreSQLLibrary(names: names)
}
