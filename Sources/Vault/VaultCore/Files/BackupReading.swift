internal import Platform
internal import Sealing
internal import TextCoding
internal import VaultStorage

/// A backup, or a copy of a vault file, that no secret has opened yet. Not thread-safe.
public struct LockedBackup: ~Copyable {
    private let file: FileDescriptor
    private let environment: VaultEnvironment
    /// The head; nil for a copy of a vault file.
    let head: BackupHead?
    let header: VaultHeader?

    /// Looks at kind and first bytes of a file, at a small, bounded cost.
    ///
    /// - Parameters:
    ///   - path: A regular file; its folder may be less safe than the vault's.
    ///   - environment: Limits and randomness. No rollback record is used.
    /// - Throws: `storage(.notFound)` if there is no file; `storage(.foreign)`, `storage(.newerVersion)` or `damaged` for a file that is
    ///   neither.
    public init(at path: String, _ environment: VaultEnvironment) throws(VaultError) {
        self = try VaultError.translating {
            try CryptographicLibrary.check()
            var environment = environment
            environment.marks = MemoryRollbackRecords()
            return try LockedBackup(path, StagedVaultFile.openSource(path), environment)
        }
    }

    private init(
        _ path: String, _ file: consuming FileDescriptor, _ environment: VaultEnvironment
    ) throws {
        let head = try Self.head(of: file, at: path)
        let header = try head.map {
            try VaultHeader($0.headerBytes, limits: environment.limits)
        }
        self.file = file
        self.environment = environment
        self.head = head
        self.header = header
    }

    private static func head(
        of file: borrowing FileDescriptor, at path: String
    ) throws -> BackupHead? {
        let first = try file.bytes(at: 0, count: BackupHead.largestSize)
        if BackupHead.isBackup(first) {
            let size = try FileStatus.of(file).size
            let head = try BackupHead(first, fileSize: size)
            let shortest = head.bytes.count + SecretStream.overhead + 1 + BackupHead.markSize
            guard size >= Int64(shortest) else {
                throw VaultError.damaged(.backupTruncated)
            }
            return head
        }
        try StagedVaultFile.requireVault(file, at: path)
        return nil
    }

    /// The id of the vault, 16 bytes; nil if that is known only after opening, as for a copy of a vault file.
    public var vaultID: [UInt8]? { header?.vaultID }

    /// The slots of the vault, from the header; none if they are known only after opening.
    public var slots: [KeySlotDescription] { header?.slots.map(KeySlotDescription.init) ?? [] }

    /// Verifies the owner, and all of the file to its end, and puts its parts into a folder.
    ///
    /// - Parameters:
    ///   - secret: A secret of the vault at the time of the backup.
    ///   - folder: A safe folder on the disk of the vault, without files.
    /// - Returns: The parts.
    /// - Throws: `wrongPassphrase`, `wrongRecoveryCode`, `damaged`, `storage`, `outOfMemory`.
    public consuming func open(
        with secret: borrowing VaultSecret, into folder: String
    ) throws(VaultError) -> OpenedBackup {
        do {
            guard let head, let header else { return try openVaultFile(secret, folder) }
            let opened = try header.open(with: secret, environment.limits)
            let staged = try stage(
                head, VaultKeys.backupPair(root: opened.root, header), folder)
            guard let path = staged.parts[.vault] else {
                throw VaultError.damaged(.backupContent)
            }
            let storage = try VaultDatabase.open(.file(path), mode: .readWrite)
            guard try storage.read({ try $0.header() }) == head.headerBytes else {
                throw VaultError.damaged(.backupContent)
            }
            let session = VaultSession(
                storage: storage, environment: environment,
                keys: try VaultKeys.open(root: opened.root, header), header: header)
            try session.openState(provedBy: opened.slot)
            return OpenedBackup(
                vault: opened.vault(session), storage: storage, parts: staged.parts,
                time: head.time,
                mark: BackupMAC(
                    file: file, size: staged.size, machineID: head.machineID, hash: staged.hash))
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// Copies a vault file first, because its folder may be less safe than the vault's.
    private consuming func openVaultFile(
        _ secret: borrowing VaultSecret, _ folder: String
    ) throws -> OpenedBackup {
        let time = try FileStatus.of(file).modified
        let staged = folder + "/" + BackupPart.vault.fileName
        let copy = try FileDescriptor(
            BackupPart.vault.fileName, in: FileDescriptor(folder: folder),
            flags: O_WRONLY | O_CREAT | O_EXCL)
        var offset: Int64 = 0
        while true {
            let bytes = try file.bytes(at: offset, count: 1 << 20)
            if bytes.isEmpty { break }
            try copy.append(bytes)
            offset += Int64(bytes.count)
        }
        let storage = try VaultDatabase.open(.file(staged), mode: .readWrite)
        let vault = try LockedVault(storage, environment).authenticate(with: secret)
        return OpenedBackup(
            vault: vault, storage: storage, parts: [.vault: staged], time: time, mark: nil)
    }

    struct Staged {
        let parts: [BackupPart: String]
        /// The size of head and body.
        let size: Int64
        /// The hash of head and body.
        let hash: [UInt8]
    }

    /// Opens the stream to its end, and writes each part into a file.
    borrowing func stage(
        _ head: BackupHead, _ pair: borrowing BoxKeyPair, _ folder: String
    ) throws -> Staged {
        var key = try SecretBytes(count: SecretStream.keySize)
        do {
            try pair.open(head.box, into: &key)
        } catch SealingError.doesNotOpen {
            throw VaultError.damaged(.backupBox)
        }
        let headBytes = head.bytes
        let end = try FileStatus.of(file).size - Int64(BackupHead.markSize)
        var stream = try SecretStream.Reader(header: head.streamHeader, key: key)
        var hash = try Blake2bStream(size: 32)
        hash.feed(headBytes)
        var parts = PartWriter(folder)
        var context = Blake2b.hash(size: 32) { $0.feed(headBytes) }
        var buffer = try SecretBytes(count: BackupHead.chunkSize)
        var offset = Int64(headBytes.count)
        var isEnded = false
        while offset < end {
            let rest = end - offset
            guard !isEnded, rest > Int64(SecretStream.overhead) else {
                throw VaultError.damaged(.backupChunk)
            }
            let size = Int(min(rest, Int64(BackupHead.chunkSize + SecretStream.overhead)))
            let chunk = try file.bytes(at: offset, count: size)
            guard chunk.count == size else { throw VaultError.damaged(.backupChunk) }
            if size - SecretStream.overhead != buffer.count {
                buffer.keep(count: size - SecretStream.overhead)
            }
            do {
                isEnded = try stream.open(chunk, context, into: &buffer)
            } catch SealingError.doesNotOpen {
                throw VaultError.damaged(.backupChunk)
            }
            context = []
            hash.feed(chunk)
            try parts.append(buffer)
            offset += Int64(size)
        }
        guard isEnded else { throw VaultError.damaged(.backupChunk) }
        return Staged(parts: try parts.finish(), size: end, hash: hash.digest())
    }
}

/// Divides the content of a backup into the files of its parts.
private struct PartWriter: ~Copyable {
    private static let prefixSize = 9

    private let folder: String
    private var prefix: [UInt8] = []
    private var rest: UInt64 = 0
    private var last: BackupPart?
    private var file: FileDescriptor?
    private var paths: [BackupPart: String] = [:]
    /// Whether the parts are wrong. The stream is read to its end first: only then are its bytes those of the backup.
    private var isWrong = false

    init(_ folder: String) {
        self.folder = folder
    }

    mutating func append(_ buffer: borrowing SecretBytes) throws {
        var offset = 0
        while offset < buffer.count, !isWrong {
            let start = offset
            if rest == 0 {
                let count = min(Self.prefixSize - prefix.count, buffer.count - offset)
                prefix += buffer.withBytes { $0.extracting(start..<(start + count)).array }
                offset += count
                if prefix.count == Self.prefixSize { isWrong = try !begin() }
                continue
            }
            let count = Int(min(rest, UInt64(buffer.count - offset)))
            try buffer.withBytes { bytes in
                let part = bytes.extracting(start..<(start + count))
                switch file {
                case .some(let file): try Descriptor.write(part, to: file.number)
                case .none: preconditionFailure("begin() makes it")
                }
            }
            offset += count
            rest -= UInt64(count)
        }
    }

    /// Begins a part; returns `false` if its prefix is wrong.
    private mutating func begin() throws -> Bool {
        let parsed = ByteReader.reading(prefix) { reader -> (BackupPart, UInt64)? in
            guard let part = reader.integer(UInt8.self).flatMap(BackupPart.init),
                let size = reader.integer(UInt64.self)
            else { return nil }
            return (part, size)
        }
        guard let (part, size) = parsed, part.rawValue > last?.rawValue ?? 0 else { return false }
        prefix = []
        rest = size
        last = part
        let parent = try FileDescriptor(folder: folder)
        file = try FileDescriptor(
            part.fileName, in: parent, flags: O_WRONLY | O_CREAT | O_EXCL)
        paths[part] = folder + "/" + part.fileName
        return true
    }

    consuming func finish() throws -> [BackupPart: String] {
        guard !isWrong, rest == 0, prefix.isEmpty, paths[.vault] != nil else {
            throw VaultError.damaged(.backupContent)
        }
        return paths
    }
}

extension BackupPart {
    /// The name of its file while it is restored.
    fileprivate var fileName: String {
        switch self {
        case .vault: "vault.db"
        case .tasks: "tasks.db"
        case .settings: "settings"
        }
    }
}

/// The mark of a backup, to be compared when the machine's key is known.
struct BackupMAC: ~Copyable {
    let file: FileDescriptor
    /// The size of what it covers.
    let size: Int64
    let machineID: [UInt8]
    /// The hash of what was read: the file may change until it is read again.
    let hash: [UInt8]

    /// Whether the backup was marked with this key.
    borrowing func isValid(under key: borrowing SecretBytes) throws -> Bool {
        var mark = try Blake2bStream(size: 32, key: key)
        var hash = try Blake2bStream(size: 32)
        var offset: Int64 = 0
        while offset < size {
            let bytes = try file.bytes(at: offset, count: Int(min(size - offset, 1 << 20)))
            guard !bytes.isEmpty else { return false }
            mark.feed(bytes)
            hash.feed(bytes)
            offset += Int64(bytes.count)
        }
        let stored = try file.bytes(at: size, count: BackupHead.markSize)
        let isSame = ConstantTime.areEqual(hash.digest(), self.hash)
        return ConstantTime.areEqual(mark.digest(), stored) && isSame
    }
}

/// The verified parts of a backup, in files. Not thread-safe.
public struct OpenedBackup: ~Copyable {
    /// The vault of the backup, in a file of its own.
    let vault: AuthenticatedVault
    let storage: VaultDatabase
    private let parts: [BackupPart: String]
    /// The time of the backup, in milliseconds since 1970-01-01 UTC, from then to the end of the year 9999. Only a valid mark proves it.
    public let time: Int64
    private let mark: BackupMAC?

    fileprivate init(
        vault: consuming AuthenticatedVault, storage: VaultDatabase, parts: [BackupPart: String],
        time: Int64, mark: consuming BackupMAC?
    ) {
        self.vault = vault
        self.storage = storage
        self.parts = parts
        // Anyone can write another time into a backup of their own; no message shows such a year.
        self.time = min(max(time, 0), 253_402_300_799_999)
        self.mark = mark
    }

    deinit {
        storage.close()
    }

    /// The file of the vault.
    var vaultPath: String { parts[.vault] ?? "" }

    /// The id of the vault, 16 bytes.
    public var vaultID: [UInt8] { vault.session.header.vaultID }

    /// The slots, in stored order.
    public var slots: [KeySlotDescription] {
        vault.session.header.slots.map(KeySlotDescription.init)
    }

    /// Verifies all of its vault, which costs time that grows with the vault.
    ///
    /// - Throws: `damaged`, `storage`.
    public borrowing func verify() throws(VaultError) {
        let session = vault.session
        try VaultError.translating { try session.read { try session.verifyEverything($0) } }
    }

    /// Whether there are parts that only a valid mark protects.
    public var hasMarkedParts: Bool { parts.count > 1 }

    /// Whether it is a copy of a vault file, which has no mark.
    public var isVaultFile: Bool {
        switch mark {
        case .none: true
        case .some: false
        }
    }

    /// The files of the parts besides the vault, which only the backup's mark protects.
    ///
    /// - Returns: The paths; nil without a valid mark of a machine whose key is in the vault of the backup.
    /// - Throws: `storage`, `outOfMemory`.
    public borrowing func authenticatedParts() throws(VaultError) -> [BackupPart: String]? {
        try VaultError.translating {
            try isAuthenticated(by: vault) ? parts.filter { $0.key != .vault } : nil
        }
    }

    /// The same for a machine whose key is in a vault into which the backup is restored.
    public borrowing func authenticatedParts(
        knownTo current: borrowing AuthenticatedVault
    ) throws(VaultError) -> [BackupPart: String]? {
        do {
            if try isAuthenticated(by: current) { return parts.filter { $0.key != .vault } }
        } catch {
            throw VaultError(translating: error)
        }
        return try authenticatedParts()
    }

    private borrowing func isAuthenticated(by owner: borrowing AuthenticatedVault) throws -> Bool {
        switch mark {
        case .none: return false
        case .some(let mark):
            do {
                let key = try UnlockedVault(owner.session).value(
                    of: BackupKey.item(of: mark.machineID))
                return try key.count == BackupKey.size && mark.isValid(under: key)
            } catch SecureStoreError.notFound, SecureStoreError.damaged {
                // A key that cannot be read is not known; a restore over the damage finds it by itself.
                return false
            }
        }
    }
}
