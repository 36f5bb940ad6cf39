internal import CFido2

/// libfido2, loaded on first use and never unloaded.
@safe struct FidoLibrary: @unchecked Sendable {
    /// The function pointers, constant after loading.
    let functions: UnsafePointer<cfido2_library>

    /// Loads the first available library of these names.
    init?(names: [String]) {
        for name in names {
            if let functions = unsafe cfido2_load(name) {
                unsafe self.functions = unsafe functions
                return
            }
        }
        return nil
    }

    /// The library of this process; nil if it is not installed.
    static let shared = FidoLibrary(names: ["libfido2.so.1"])
}
