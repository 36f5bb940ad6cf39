internal import Accounts
internal import AccountStorage
internal import CommandLine
internal import Sealing
internal import VaultStorage

extension AccountDatabasePlace {
    /// Whether it is a file of this machine.
    var isFile: Bool {
        if case .file = self { true } else { false }
    }

    /// Opens the database, and makes it first where there is none.
    ///
    /// - Parameter connections: How many connections to a server there may be.
    /// - Returns: The repository.
    /// - Throws: As the repositories do.
    func openOrCreate(connections: Int) throws(AccountRepositoryError) -> any AccountRepository {
        switch self {
        case .server(let address):
            return try PostgreSQLAccountRepository.open(address, connections: connections)
        case .file(let path):
            do throws(StorageError) {
                try VaultLocation.prepareFolder(at: Self.folder(of: path))
            } catch {
                throw AccountRepositoryError(error)
            }
            return try SQLiteAccountRepository.openOrCreate(at: path)
        }
    }

    /// Opens the database; nil where there is none.
    func open() throws(AccountRepositoryError) -> (any AccountRepository)? {
        guard case .file(let path) = self else { return try openOrCreate(connections: 2) }
        return try SQLiteAccountRepository.open(at: path, mode: .readWrite)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension ServerContext {
    /// Refuses to store or compare hashes that another machine would not make.
    static func checkLibrary() throws {
        do throws(SealingError) {
            try CryptographicLibrary.check()
        } catch {
            guard error == .libraryFails else {
                throw CommandFailure(.failure, code: "out_of_memory", "not enough memory")
            }
            throw CommandFailure(
                .failure, code: "library_fails", "this machine's libsodium computes wrongly",
                hint: "install libsodium again, or try another machine")
        }
    }

    /// Lends what an operator does with accounts.
    ///
    /// - Parameters:
    ///   - isNew: Whether the database is made where there is none.
    ///   - rules: What holds for accounts.
    ///   - body: Does it.
    /// - Returns: What `body` returns.
    /// - Throws: Why not, in words.
    func withAccounts<Result>(
        creating isNew: Bool = false, rules: AccountRules? = nil,
        _ body: (AccountAdministration) throws(AccountServiceError) -> Result
    ) throws -> Result {
        let place = try database()
        try Self.checkLibrary()
        let repository: (any AccountRepository)?
        do throws(AccountRepositoryError) {
            repository = isNew ? try place.openOrCreate(connections: 2) : try place.open()
        } catch {
            throw CommandFailure(error, place)
        }
        guard let repository else {
            throw CommandFailure(
                .notFound, code: "no_database", "there is no database \(place.title)",
                hint: "taskvault-authd serve and account invite make it")
        }
        defer { repository.close() }
        do throws(AccountServiceError) {
            return try body(
                AccountAdministration(
                    repository: repository, rules: rules ?? AccountRules(sources)))
        } catch {
            throw CommandFailure(error, place, invocation)
        }
    }
}
