internal import SecureStorage
internal import Tasks

/// Opens the text of protected tasks by bare C calls.
final class BareText {
    let vault: BareDatabase
    let tasks: BareTasks
    private let reader: BareReader
    private let tags: [[UInt8]]

    init(_ vault: BenchmarkVault, _ file: TaskFile, _ names: [SecretName]) throws {
        self.vault = try BareDatabase(vault.path)
        tasks = try BareTasks(file.path)
        let keys = try BareKeys(
            self.vault, passphrase: BenchmarkVault.passphraseText, accessClass: .afterVerification)
        reader = try BareReader(self.vault, keys)
        tags = names.map { keys.tag(service: $0.service, account: $0.account) }
    }

    /// Lists so many tasks, and opens the attributes and the text of each.
    func open(_ count: Int) throws {
        guard try tasks.page(.created, limit: count).ids.count == count else {
            throw BenchmarkFailure("a short page")
        }
        for tag in tags.prefix(count) where try !reader.read(tag) {
            throw BenchmarkFailure("text that is not there")
        }
    }
}
