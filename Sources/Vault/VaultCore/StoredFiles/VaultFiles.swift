internal import SecretMemory
internal import SecureStorage
internal import VaultStorage

/// The files of an unlocked vault: descriptions, and contents as streams through guarded memory.
///
/// A file is an item of its own kind, with its content in sealed chunks (`Docs/Format.md`, section 13). Descriptions are visible while the
/// vault is unlocked; the content of a protected file only after verification. Thread-safe, like the vault.
public struct VaultFiles: Sendable {
    /// The size of a chunk's plaintext, in bytes: the best size for ``FileWriter/write(_:)``.
    public static let chunkSize = FileChunks.size
    /// The maximum size of a file: 4 GiB.
    public static let largestSize = FileChunks.largestFile
    /// The maximum size of a name, in bytes.
    public static let longestName = 255
    /// The maximum number of earlier versions of a file.
    static let earlierVersions = 3
    /// The maximum total size of a file's earlier versions: 1 GiB.
    public static let earlierSize: UInt64 = 1_073_741_824

    let vault: UnlockedVault
    /// ``largestSize``; a test may lower it.
    var limit = largestSize

    /// Gives access to the files of a vault.
    public init(_ vault: UnlockedVault) {
        self.vault = vault
    }

    /// Checks a file name: 1 to 255 bytes, without slashes and control characters, neither `.` nor `..`.
    ///
    /// - Throws: `store(.invalidName)`.
    public static func checkName(_ name: String) throws(VaultError) {
        let rule = TextRule(sizes: 1...longestName, allowsControlCharacters: false)
        let isOfFolder = name.utf8.contains(UInt8(ascii: "/")) || name == "." || name == ".."
        if let reason = rule.violation(name) ?? (isOfFolder ? .notAFileName : nil) {
            throw .store(.invalidName(field: "name", reason))
        }
    }
}

// Descriptions.
extension VaultFiles {
    /// Describes all files.
    ///
    /// - Throws: `store(.locked)`, `damaged`, `storage`; so does every function.
    public func list(_ order: FileOrder = .name) throws(VaultError) -> [StoredFile] {
        let files = try vault.use { session in try session.read { try session.files($0) } }
        return switch order {
        case .name: files
        case .nameReversed: files.reversed()
        case .size, .added: order.sorted(files)
        }
    }

    /// The names of the files that lack a part of their content, which only a backup has.
    public func incomplete() throws(VaultError) -> [String] {
        try vault.use { session in try session.read { try session.incompleteFiles($0) } }
    }

    /// Describes the file with a name.
    ///
    /// - Throws: `store(.notFound)`.
    public func file(named name: String) throws(VaultError) -> StoredFile {
        let found = try vault.use { session in
            try session.read { reader in try session.fileItem(named: name, reader) }
        }
        guard let file = found.flatMap({ StoredFile($0) }) else { throw .store(.notFound) }
        return file
    }

    /// Describes the file with an id.
    ///
    /// - Throws: `store(.notFound)`.
    public func file(id: String) throws(VaultError) -> StoredFile {
        do {
            guard let file = StoredFile(try vault.describe(try Self.itemName(id))) else {
                throw VaultError.store(.notFound)
            }
            return file
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// Describes the files of a task, by name.
    public func files(ofTask task: String) throws(VaultError) -> [StoredFile] {
        try list().filter { $0.task?.hasSameBytes(as: task) == true }
    }

    /// Describes the removed files, the last removed one first.
    public func removed() throws(VaultError) -> [EarlierFile] {
        try VaultError.translating { try vault.removed().compactMap { EarlierFile($0) } }
    }

    /// Describes the earlier versions of a file, the newest first.
    ///
    /// - Throws: `store(.notFound)`.
    public func history(of id: String) throws(VaultError) -> [EarlierFile] {
        try VaultError.translating {
            try vault.history(of: Self.itemName(id)).compactMap { EarlierFile($0) }
        }
    }

    static func itemName(_ id: String) throws -> SecretName {
        do {
            return try SecretName(service: ReservedService.file, account: id)
        } catch {
            throw SecureStoreError.notFound
        }
    }
}

// Contents.
extension VaultFiles {
    /// Begins a new file, which appears when the writer finishes.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - isProtected: Whether the content is readable only after verification.
    ///   - task: The id of the task to which it belongs.
    /// - Returns: The writer of the content.
    /// - Throws: `store(.invalidName)`; `store(.duplicate)` if a file has the name; `store(.notVerified)`.
    public func add(
        _ name: String, isProtected: Bool = false, task: String? = nil
    ) throws(VaultError) -> FileWriter {
        try Self.checkName(name)
        let accessClass: AccessClass = isProtected ? .afterVerification : .whileUnlocked
        return try vault.use { session in
            _ = try session.valueKey(accessClass)
            try session.read { reader in
                if try session.fileItem(named: name, reader) != nil {
                    throw SecureStoreError.duplicate
                }
            }
            return try FileWriter(
                vault, session, accessClass, .new(name: name, task: task), limit: limit)
        }
    }

    /// Begins new content for a file. The present content becomes an earlier version when the writer finishes.
    ///
    /// - Throws: `store(.notFound)`; `store(.notVerified)`.
    public func replace(_ id: String) throws(VaultError) -> FileWriter {
        try vault.use { session in
            let name = try Self.itemName(id)
            guard let row = try session.row(of: session.tag(of: name)) else {
                throw SecureStoreError.notFound
            }
            let accessClass = try VaultSession.accessClass(of: row)
            _ = try session.valueKey(accessClass)
            return try FileWriter(vault, session, accessClass, .existing(name), limit: limit)
        }
    }

    /// Begins to read a file. Counts all chunks first.
    ///
    /// - Parameters:
    ///   - id: The id of the file or removed file.
    ///   - revision: The revision of an earlier version or of a removed file; nil for the present content.
    /// - Returns: The reader of the content.
    /// - Throws: `store(.notFound)`, `store(.notVerified)`.
    public func read(_ id: String, revision: UInt64? = nil) throws(VaultError) -> FileReader {
        try vault.use { session in
            let name = try Self.itemName(id)
            return try session.read { reader in
                guard let row = try session.fileRow(of: name, revision, reader) else {
                    throw SecureStoreError.notFound
                }
                let item = try VaultSession.item(row, session.openAttributes(of: row))
                guard let file = StoredFile(item) else { throw SecureStoreError.notFound }
                let value = try session.fileValue(of: row)
                let opener = try ChunkOpener(value)
                try opener.checkCount(reader)
                if let read = try? SecretName(
                    service: SecretName.fileService, account: file.name)
                {
                    session.environment.logRead(read)
                }
                return FileReader(
                    vault, session.storage, item.attributes.accessClass, file, opener)
            }
        }
    }
}

extension EarlierFile {
    init?(_ earlier: EarlierSecret) {
        guard let file = StoredFile(earlier.item) else { return nil }
        self.init(file: file, moved: earlier.moved)
    }
}

extension [ExtraAttribute] {
    /// The text of a key.
    func text(_ key: String) -> String? {
        first { $0.key.hasSameBytes(as: key) }?.text
    }

    /// The attributes with `text` for `key`, or without `key` if `text` is nil.
    func replacing(_ key: String, by text: String?) -> [ExtraAttribute] {
        filter { !$0.key.hasSameBytes(as: key) }
            + (text.map { [ExtraAttribute(key: key, text: $0)] } ?? [])
    }
}
