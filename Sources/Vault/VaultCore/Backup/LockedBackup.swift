internal import Platform
internal import Sealing
internal import TextCoding
internal import VaultStorage

/// A backup, or a copy of a vault file, that is still sealed. Not thread-safe.
public struct LockedBackup: ~Copyable {
    private let file: FileDescriptor
    private let environment: VaultEnvironment
    /// The head; nil for a copy of a vault file.
    let head: BackupHead?
    let header: VaultHeader?

    /// Reads the kind and the head of a file. The cost is small and bounded for any input.
    ///
    /// - Parameters:
    ///   - path: A regular file. Its folder may be less safe than the vault's.
    ///   - environment: Limits and randomness. No rollback record is used.
    /// - Throws: `storage(.notFound)` if there is no file; `storage(.foreign)`, `storage(.newerVersion)` or `damaged` for a file that is
    /// neither a backup nor a vault.
    public init(at path: String, _ environment: VaultEnvironment) throws(VaultError) {
        self = try VaultError.translating {
            try CryptographicLibrary.check()
            var environment = environment
            environment.rollbackRecords = MemoryRollbackRecords()
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
            let shortest = head.bytes.count + SecretStream.overhead + 1 + BackupHead.macSize
            guard size >= Int64(shortest) else {
                throw VaultError.damaged(.backupTruncated)
            }
            return head
        }
        try StagedVaultFile.requireVault(file, at: path)
        return nil
    }

    /// The id of the vault, 16 bytes; nil for a copy of a vault file, whose id is known only after opening.
    public var vaultID: [UInt8]? { header?.vaultID }

    /// The slots in the header; empty for a copy of a vault file, whose slots are known only after opening.
    public var slots: [KeySlotDescription] { header?.slots.map(KeySlotDescription.init) ?? [] }

    /// Verifies the owner and the whole file, and writes the parts into a folder.
    ///
    /// - Parameters:
    ///   - secret: A secret of the vault at the time of the backup.
    ///   - folder: A safe, empty folder on the disk of the vault.
    ///   - progress: Gets the number of bytes of each piece that was read.
    /// - Returns: The verified parts.
    /// - Throws: `wrongPassphrase`, `wrongRecoveryCode`, `damaged`, `storage`, `outOfMemory`.
    public consuming func open(
        with secret: borrowing VaultSecret, into folder: String,
        progress: (Int) -> Void = { _ in }
    ) throws(VaultError) -> OpenedBackup {
        do {
            guard let head, let header else { return try openVaultFile(secret, folder) }
            let opened = try header.open(with: secret, environment.limits)
            let staged = try stage(
                head, VaultKeys.backupPair(root: opened.root, header), folder, progress)
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
            try session.openState(openedBy: opened.slot)
            return OpenedBackup(
                vault: opened.vault(session), storage: storage, parts: staged.parts,
                time: head.time,
                mac: BackupMAC(
                    file: file, size: staged.size, machineID: head.machineID, hash: staged.hash))
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// Works on a copy, because the folder of the vault file may be less safe than the vault's.
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
            vault: vault, storage: storage, parts: [.vault: staged], time: time, mac: nil)
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
        _ head: BackupHead, _ pair: borrowing BoxKeyPair, _ folder: String,
        _ progress: (Int) -> Void
    ) throws -> Staged {
        var key = try SecretBytes(count: SecretStream.keySize)
        do {
            try pair.open(head.box, into: &key)
        } catch SealingError.doesNotOpen {
            throw VaultError.damaged(.backupBox)
        }
        let headBytes = head.bytes
        let end = try FileStatus.of(file).size - Int64(BackupHead.macSize)
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
            if BlockedSignals.arePending { throw SystemFailure("write", code: EINTR) }
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
            progress(size)
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
    /// Whether the parts are malformed. Reported at the end only: until the last chunk opens, the bytes may not be those of the backup.
    private var isMalformed = false

    init(_ folder: String) {
        self.folder = folder
    }

    mutating func append(_ buffer: borrowing SecretBytes) throws {
        var offset = 0
        while offset < buffer.count, !isMalformed {
            let start = offset
            if rest == 0 {
                let count = min(Self.prefixSize - prefix.count, buffer.count - offset)
                prefix += buffer.withBytes { $0.extracting(start..<(start + count)).array }
                offset += count
                if prefix.count == Self.prefixSize { isMalformed = try !begin() }
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

    /// Begins a part; returns `false` if its prefix is malformed.
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
        guard !isMalformed, rest == 0, prefix.isEmpty, paths[.vault] != nil else {
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
