internal import CSodium

/// libsodium, initialised once for the process.
enum SodiumLibrary {
    /// Calls `sodium_init`, which must run before any other function of the library.
    ///
    /// Thread-safe. If the initialisation fails there is no random source, so the process ends.
    static let ready: Void = {
        precondition(sodium_init() >= 0, "libsodium could not be initialised")
    }()
}
