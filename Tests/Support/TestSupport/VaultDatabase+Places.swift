package import VaultStorage

/// Vault databases by path or address, the usual form in tests.
extension VaultDatabase {
    package static func createFile(
        at path: String, lockTimeout: Duration = .seconds(5)
    ) throws -> VaultDatabase {
        try create(.file(path), lockTimeout: lockTimeout)
    }

    package static func openFile(
        at path: String, mode: StorageMode, lockTimeout: Duration = .seconds(5)
    ) throws -> VaultDatabase {
        try open(.file(path), mode: mode, lockTimeout: lockTimeout)
    }

    package static func createServer(
        at address: String, timeout: Duration = .seconds(30), lockTimeout: Duration = .seconds(5)
    ) throws -> VaultDatabase {
        try create(
            server(address), lockTimeout: lockTimeout, timeout: timeout)
    }

    package static func openServer(
        at address: String, mode: StorageMode, timeout: Duration = .seconds(30),
        lockTimeout: Duration = .seconds(5)
    ) throws -> VaultDatabase {
        try open(
            server(address), mode: mode, lockTimeout: lockTimeout,
            timeout: timeout)
    }

    private static func server(_ address: String) throws -> DatabasePlace {
        .server(try PostgreSQLAddress(address))
    }
}
