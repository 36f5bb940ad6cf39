internal import CPostgreSQL

/// libpq, loaded on first use and never unloaded.
@safe struct PostgreSQLLibrary: @unchecked Sendable {
    /// The function pointers, constant after loading.
    let functions: UnsafePointer<cpostgresql_library>

    /// Loads the first available library of these names.
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

    /// The library of this process; nil if it is not installed.
    static let shared = PostgreSQLLibrary(names: names)
}
