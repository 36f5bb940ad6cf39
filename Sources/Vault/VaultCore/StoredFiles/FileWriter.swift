internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import Synchronization
internal import TextCoding
internal import VaultStorage

/// Writes the content of a file of the vault.
///
/// Chunks are sealed and stored while the content arrives. The file, or its new content, appears when the writer finishes. Until then the
/// vault can be used and locked. Any thread may use it, one at a time.
public final class FileWriter: Sendable {
    /// The number of sealed chunks in one transaction: 1 MiB, so that other writers need not wait for long.
    private static let batchSize = 16
    /// The disk space left free, in bytes: an SQLite database whose log fills the disk can neither grow nor shrink.
    private static let reserve: UInt64 = 16_777_216

    enum Target: Sendable {
        case new(name: String, task: String?)
        case existing(SecretName)
    }

    private let vault: UnlockedVault
    private let storage: any RecordStorage
    private let environment: VaultEnvironment
    private let accessClass: AccessClass
    private let target: Target
    private let limit: UInt64
    /// The id of the version.
    private let version: [UInt8]
    private let content: Mutex<Content>

    private struct Content: ~Copyable {
        /// Nil after the end.
        var sealer: ChunkSealer?
        /// The reason for the end, for later calls.
        var failure = VaultError.store(.notFound)
        var batch: [ChunkRecord] = []
        /// Whether chunks may be in the storage.
        var hasStored = false
    }

    init(
        _ vault: UnlockedVault, _ session: VaultSession, _ accessClass: AccessClass,
        _ target: Target, limit: UInt64
    ) throws {
        self.limit = limit
        self.vault = vault
        storage = session.storage
        environment = session.environment
        self.accessClass = accessClass
        self.target = target
        version = session.environment.random.bytes(count: 16)
        let sealer = try ChunkSealer(version, session.environment.random)
        content = Mutex(Content(sealer: sealer))
    }

    /// Adds bytes to the content.
    ///
    /// After an error the writer has ended, and its chunks are erased.
    ///
    /// - Parameter bytes: Any number of bytes.
    /// - Throws: `store(.tooLarge)` for more than ``VaultFiles/largestSize``; `store(.locked)`, `store(.notVerified)`, `storage`.
    public func write(_ bytes: RawSpan) throws(VaultError) {
        // A closure cannot capture a span; the address stays valid while `bytes` is borrowed.
        try unsafe bytes.withUnsafeBytes { (source) throws(VaultError) in
            try step { content in
                try unsafe append(RawSpan(_unsafeBytes: source), to: &content)
            }
        }
    }

    private func append(_ bytes: RawSpan, to content: inout Content) throws {
        var offset = 0
        while offset < bytes.byteCount {
            guard var sealer = content.sealer.take() else { throw content.failure }
            let room = limit - sealer.size
            if sealer.isFull {
                // More bytes follow, so this chunk is not the last one.
                content.batch.append(sealer.seal(at: environment.now(), isLast: false))
            }
            let taken =
                room == 0 ? 0 : sealer.take(bytes.extracting(offset..<bytes.byteCount), most: room)
            content.sealer = consume sealer
            guard taken > 0 else {
                throw SecureStoreError.tooLarge(maximum: Int(limit))
            }
            offset += taken
            if content.batch.count >= Self.batchSize { try store(&content) }
        }
    }

    /// Ends the content and saves the file, durably.
    ///
    /// - Returns: The file.
    /// - Throws: `store(.duplicate)` if another file got the name meanwhile; `store(.notFound)` if the file was removed meanwhile;
    ///   `store(.keysReplaced)`; as ``write(_:)``.
    public func finish() throws(VaultError) -> StoredFile {
        var file: StoredFile?
        var replaced: Set<[UInt8]> = []
        try step { content in
            guard var sealer = content.sealer.take() else { throw content.failure }
            content.batch.append(sealer.seal(at: environment.now(), isLast: true))
            let description = sealer.description(version)
            let value = try sealer.value(version, description)
            content.sealer = consume sealer
            try store(&content)
            let (item, versions) = try save(value, description)
            file = StoredFile(item)
            replaced = versions
            content.sealer = nil
        }
        if !replaced.isEmpty { VaultFiles(vault).erase(replaced) }
        guard let file else { throw .store(.notFound) }
        return file
    }

    /// Ends without a file, and erases the chunks. Does nothing after the end.
    public func abandon() {
        content.withLock { content in
            guard content.sealer != nil else { return }
            end(&content, .store(.notFound))
        }
    }

    /// Runs a step. If it fails, the stored chunks are erased.
    private func step(_ body: (inout Content) throws -> Void) throws(VaultError) {
        try VaultError.translating {
            try content.withLock { content in
                do {
                    try body(&content)
                } catch {
                    let failure = VaultError(translating: error)
                    end(&content, failure)
                    throw failure
                }
            }
        }
    }

    private func end(_ content: inout Content, _ failure: VaultError) {
        content.sealer = nil
        content.batch = []
        content.failure = failure
        guard content.hasStored else { return }
        content.hasStored = false
        // A failed commit may have taken effect: never erase chunks that the file references.
        VaultFiles(vault).erase([version])
    }

    private func store(_ content: inout Content) throws {
        _ = try vault.use { session in try session.valueKey(accessClass) }
        let batch = content.batch
        content.batch = []
        if let use = try storage.diskUse(), use.free < Self.reserve {
            throw VaultError.storage(.full)
        }
        content.hasStored = true
        try storage.write { writer in for chunk in batch { try writer.putChunk(chunk) } }
    }

    /// Commits the item that references the chunks.
    ///
    /// - Returns: The item, and the versions that the file referenced before.
    private func save(
        _ value: borrowing SecretBytes, _ description: FileDescription
    ) throws -> (SecretItem, Set<[UInt8]>) {
        try vault.use { session in
            let attribute = description.text
            return try session.change { changes in
                // If the upload took more than a day, another machine may have removed its chunks.
                let count = FileChunks.count(ofBytes: description.size)
                guard try changes.writer.chunkCount(of: (version: version, count: count)) == count
                else {
                    throw SecureStoreError.unavailable(
                        .failed, detail: "the file took more than a day and must be added again")
                }
                switch target {
                case .new(let label, let task):
                    let name = try VaultFiles.itemName(
                        Hexadecimal.text(environment.random.bytes(count: 16)))
                    try changes.requireUnusedFileName(label, exceptOf: name)
                    let extra = [ExtraAttribute]().replacing(FileDescription.key, by: attribute)
                        .replacing(FileDescription.taskKey, by: task)
                    let attributes = SecretAttributes(
                        label: label, accessClass: accessClass, extra: extra)
                    let new = try value.withBytes {
                        try session.newItem($0, name, attributes, random: environment.random)
                    }
                    try changes.insert(new.row)
                    return (try VaultSession.item(new.row, new.description), [])
                case .existing(let name):
                    let row = try changes.existing(name, expecting: nil)
                    let versions = try changes.fileVersions(of: row)
                    let extra = try session.open(row).extra.replacing(
                        FileDescription.key, by: attribute)
                    let edit = SecretEdit(extra: extra)
                    return (
                        try changes.revise(row, edit, to: value, isNewValue: true), versions
                    )
                }
            }
        }
    }
}

/// Collects content in guarded memory and seals its chunks.
private struct ChunkSealer: ~Copyable {
    private let version: [UInt8]
    private let key: SecretBytes
    private var stream: SecretStream.Writer
    private var buffer: SecretBytes
    private var filled = 0
    private var number: Int64 = 0
    private var context: [UInt8]
    private var photo = PixelSizeScanner()
    private var mediaType = FileDescription.unknownType
    /// The number of bytes appended.
    private(set) var size: UInt64 = 0

    init(_ version: [UInt8], _ random: RandomSource) throws {
        let key = try random.secret(count: SecretStream.keySize)
        let stream = try SecretStream.Writer(key: key)
        let buffer = try SecretBytes(count: FileChunks.size)
        self.version = version
        self.key = key
        self.stream = stream
        self.buffer = buffer
        context = ChunkContext.bytes(version)
    }

    var isFull: Bool { filled == FileChunks.size }

    /// Appends bytes up to the end of the chunk.
    ///
    /// - Returns: The number of bytes appended.
    mutating func take(_ bytes: RawSpan, most: UInt64) -> Int {
        let count = Int(
            min(UInt64(min(bytes.byteCount, FileChunks.size - filled)), most))
        let (start, part) = (filled, bytes.extracting(first: count))
        unsafe part.withUnsafeBytes { part in
            buffer.withMutableBytes { buffer in
                unsafe buffer.copy(RawSpan(_unsafeBytes: part), at: start)
            }
        }
        filled += count
        size += UInt64(count)
        return count
    }

    /// Seals the buffer as the next chunk.
    mutating func seal(at time: Int64, isLast: Bool) -> ChunkRecord {
        ChunkContext.setNumber(number, in: &context)
        let (count, isFirst, context) = (filled, number == 0, context)
        let sealed = buffer.withBytes { bytes in
            let part = bytes.extracting(first: count)
            if isFirst { mediaType = MediaType.of(part) }
            photo.take(part)
            return stream.seal(part, context, isLast: isLast)
        }
        defer {
            number += 1
            filled = 0
        }
        return ChunkRecord(version: version, number: number, stored: time, bytes: sealed)
    }

    borrowing func description(_ version: [UInt8]) -> FileDescription {
        FileDescription(version: version, size: size, mediaType: mediaType, pixels: photo.size)
    }

    borrowing func value(
        _ version: [UInt8], _ description: FileDescription
    ) throws -> SecretBytes {
        try FileValue(
            version: version, key: key.copy(), streamHeader: stream.header, size: size,
            mediaType: description.mediaType
        ).encoded()
    }
}
