internal import Platform
internal import Sealing
internal import VaultStorage

/// Writes backups. This needs no secret of the vault (`Docs/Format.md`, section 9).
public enum BackupWriting {
    /// Writes a new file, mode 0600, durably. It appears when it is complete. A pipe or device is opened and written.
    ///
    /// The memory use does not depend on the sizes of the parts. Signals that end the program are deferred, and end the writing soon; then
    /// no file appears.
    ///
    /// - Parameters:
    ///   - path: The path. Its folder may be less safe than the vault's.
    ///   - parts: The file of each part; the vault's is required.
    ///   - time: The time of the vault's snapshot, in milliseconds since 1970-01-01 UTC.
    ///   - key: The machine's key, which authenticates the backup.
    ///   - environment: Limits, randomness and rollback records.
    ///   - progress: Gets the number of bytes of each piece that was read.
    /// - Throws: `storage(.alreadyExists)` if the path exists; `damaged(.backupKeyChanged)` if the vault's public key for backups is not the
    ///   one that this machine saw last; `damaged`, `storage`, `outOfMemory`. No file is left.
    public static func write(
        to path: String, _ parts: [BackupPart: String], at time: Int64,
        authenticatedBy key: borrowing BackupKey, _ environment: VaultEnvironment,
        progress: (Int) -> Void = { _ in }
    ) throws(VaultError) {
        do {
            guard let snapshot = parts[.vault] else { preconditionFailure("no vault") }
            let bytes = try headerBytes(of: snapshot)
            let header = try VaultHeader(bytes, limits: environment.limits)
            // Anyone who can write to the vault file could replace the public key.
            let known = try environment.knownRecords()
            guard !known.isDamaged else { throw VaultError.damaged(.rollbackRecordDamaged) }
            if let own = known.own, own.backupPublicKey != header.keys.backupPublicKey {
                throw VaultError.damaged(.backupKeyChanged)
            }
            let streamKey = try environment.random.secret(count: SecretStream.keySize)
            let publicKey = header.keys.backupPublicKey
            guard let box = streamKey.withBytes({ BoxKeyPair.seal($0, to: publicKey) }) else {
                throw VaultError.damaged(.backupKey)
            }
            let stream = try SecretStream.Writer(key: streamKey)
            let head = BackupHead(
                time: time, headerBytes: bytes, box: box, machineID: key.machineID,
                streamHeader: stream.header)
            let file = try OutputFile(at: path)
            var body = try BodyWriter(
                file.descriptor, stream, head, mac: Blake2bStream(size: 32, key: key.key))
            for part in BackupPart.allCases {
                guard let source = parts[part] else { continue }
                try body.append(part, source, progress)
            }
            try body.finish()
            try file.publish()
        } catch let failure as SystemFailure where failure.code == EEXIST {
            throw .storage(.alreadyExists)
        } catch {
            throw VaultError(translating: error)
        }
    }

    private static func headerBytes(of path: String) throws -> [UInt8] {
        let storage = try VaultDatabase.open(.file(path), mode: .readOnly)
        defer { storage.close() }
        guard let bytes = try storage.read({ try $0.header() }) else {
            throw VaultError.damaged(.headerMissing)
        }
        return bytes
    }
}

/// Seals the parts of a backup in chunks, and writes them after the head and before the MAC.
private struct BodyWriter: ~Copyable {
    private let descriptor: Int32
    private var stream: SecretStream.Writer
    private var mac: Blake2bStream
    /// The associated data of the next chunk.
    private var context: [UInt8]
    private var pending: [UInt8] = []

    init(
        _ descriptor: Int32, _ stream: consuming SecretStream.Writer, _ head: BackupHead,
        mac: consuming Blake2bStream
    ) throws {
        let bytes = head.bytes
        self.descriptor = descriptor
        self.stream = stream
        self.mac = mac
        context = Blake2b.hash(size: 32) { $0.feed(bytes) }
        pending.reserveCapacity(2 * BackupHead.chunkSize)
        try write(bytes)
    }

    mutating func append(
        _ part: BackupPart, _ path: String, _ progress: (Int) -> Void
    ) throws {
        let (folder, name) = SafeFolder.split(path)
        let file = try FileDescriptor(
            name, in: FileDescriptor(folder: folder), flags: O_RDONLY)
        let size = try FileStatus.of(file).size
        var writer = ByteWriter()
        writer.integer(part.rawValue)
        writer.integer(UInt64(size))
        try append(writer.bytes)
        var offset: Int64 = 0
        while offset < size {
            let bytes = try file.bytes(
                at: offset, count: Int(min(size - offset, Int64(BackupHead.chunkSize))))
            guard !bytes.isEmpty else { throw SystemFailure("read", code: EIO) }
            if BlockedSignals.arePending { throw SystemFailure("write", code: EINTR) }
            try append(bytes)
            offset += Int64(bytes.count)
            progress(bytes.count)
        }
    }

    private mutating func append(_ bytes: [UInt8]) throws {
        pending += bytes
        // A full chunk stays in the buffer, because it may be the last one.
        while pending.count > BackupHead.chunkSize {
            try seal(Array(pending.prefix(BackupHead.chunkSize)), isLast: false)
            pending.removeFirst(BackupHead.chunkSize)
        }
    }

    private mutating func seal(_ plaintext: [UInt8], isLast: Bool) throws {
        let chunk = stream.seal(unsafe plaintext.span.bytes, context, isLast: isLast)
        context = []
        try write(chunk)
    }

    private mutating func write(_ bytes: [UInt8]) throws {
        mac.feed(bytes)
        unsafe try Descriptor.write(bytes.span.bytes, to: descriptor)
    }

    consuming func finish() throws {
        try seal(pending, isLast: true)
        let trailer = mac.digest()
        unsafe try Descriptor.write(trailer.span.bytes, to: descriptor)
    }
}
