import Platform
import VaultCore

/// An empty vault that `init` makes once in each test process. A home gets a copy of it and of its rollback record, because `init` takes
/// longer than the rest of most tests.
///
/// The copies are independent, but have the same id and keys.
struct PreparedVault {
    static let shared: Result<PreparedVault, any Error> = Result { try PreparedVault() }

    private let file: [UInt8]
    private let record: RollbackRecord

    private init() throws {
        let home = try TestHome(withVault: false)
        try home.make()
        file = try Files.read(home.vault)
        guard let record = try Self.records(of: home).read() else {
            throw HarnessFailure("read a rollback record", code: ENOENT)
        }
        self.record = record
    }

    /// Puts a copy into a home, as `init` would.
    func copy(to home: TestHome) throws {
        try SafeFolder.create(home.home)
        try Files.write(file, to: home.vault)
        // Not copied as a file: its name depends on the vault's path.
        try Self.records(of: home).replace(with: record)
    }

    private static func records(of home: TestHome) -> FileRollbackRecords {
        FileRollbackRecords(folder: home.folder + "/state/taskvault/rollback", place: home.vault)
    }
}
