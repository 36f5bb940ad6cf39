internal import Sealing
internal import Synchronization

/// The newest state of a vault that this machine saw (`Docs/Format.md`, section 8).
public struct RollbackMark: Sendable, Hashable {
    static let size = 96
    static let format: UInt32 = 1

    /// The vault's id, 16 bytes.
    public let vaultID: [UInt8]
    /// The vault's lineage, 16 bytes.
    public let lineage: [UInt8]
    /// The state's counter.
    public let counter: UInt64
    /// The hash of the state record, 32 bytes.
    public let digest: [UInt8]

    init(vaultID: [UInt8], state: VaultState, record: [UInt8]) {
        self.vaultID = vaultID
        lineage = state.lineage
        counter = state.counter
        digest = Blake2b.hash(size: 32) { $0.feed(record) }
    }

    /// Reads the bytes of a mark.
    ///
    /// - Throws: `FormatFailure.markDamaged` unless it is one, of this vault.
    public init(_ bytes: [UInt8], of vaultID: [UInt8]) throws(FormatFailure) {
        let parsed: RollbackMark? = ByteReader.reading(bytes) { (reader) -> RollbackMark? in
            guard reader.magic("TVMK") == true, reader.integer(UInt32.self) == Self.format,
                let found = reader.raw(16), let lineage = reader.raw(16),
                let counter = reader.integer(UInt64.self), let digest = reader.raw(32),
                let checksum = reader.raw(16), reader.isAtEnd, found == vaultID,
                checksum == Self.checksum(Array(bytes.dropLast(16)))
            else { return nil }
            return RollbackMark(
                vaultID: found, lineage: lineage, counter: counter, digest: digest)
        }
        guard let parsed else { throw .markDamaged }
        self = parsed
    }

    private init(vaultID: [UInt8], lineage: [UInt8], counter: UInt64, digest: [UInt8]) {
        self.vaultID = vaultID
        self.lineage = lineage
        self.counter = counter
        self.digest = digest
    }

    /// The bytes to store.
    public var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.magic("TVMK")
        writer.integer(Self.format)
        writer.raw(vaultID)
        writer.raw(lineage)
        writer.integer(counter)
        writer.raw(digest)
        writer.raw(Self.checksum(writer.bytes))
        return writer.bytes
    }

    /// Whether a vault in this state is as new as `mark` says, or newer.
    func isAtLeast(_ mark: RollbackMark) -> Bool {
        counter > mark.counter || (counter == mark.counter && digest == mark.digest)
    }

    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        Blake2b.hash(size: 16) { $0.feed(bytes) }
    }
}

/// Where a machine keeps its rollback marks. Thread-safe.
public protocol RollbackMarks: Sendable {
    /// The mark of a vault, or nil if this machine has not seen it.
    ///
    /// - Throws: `RollbackMarkError`.
    func mark(of vaultID: [UInt8]) throws(RollbackMarkError) -> RollbackMark?

    /// Remembers a mark.
    ///
    /// - Parameters:
    ///   - mark: The new mark.
    ///   - force: Whether an older or a damaged mark may take the place of a newer one; otherwise that changes nothing.
    /// - Throws: `RollbackMarkError`.
    func remember(_ mark: RollbackMark, force: Bool) throws(RollbackMarkError)
}

/// Why a mark could not be read or kept.
public enum RollbackMarkError: Error, Sendable, Hashable {
    /// The mark is damaged.
    case damaged
    /// Reading or writing failed; the folder's path and `errno`.
    case unavailable(path: String, code: Int32)
}

/// Marks that last as long as the value: for tests, and for stores that nobody can roll back.
public final class MemoryRollbackMarks: RollbackMarks {
    private let marks = Mutex<[[UInt8]: RollbackMark]>([:])

    /// Makes an empty memory.
    public init() {}

    /// The mark of a vault.
    public func mark(of vaultID: [UInt8]) throws(RollbackMarkError) -> RollbackMark? {
        marks.withLock { $0[vaultID] }
    }

    /// Remembers a mark.
    public func remember(_ mark: RollbackMark, force: Bool) throws(RollbackMarkError) {
        marks.withLock { marks in
            if !force, let known = marks[mark.vaultID], !mark.isAtLeast(known) { return }
            marks[mark.vaultID] = mark
        }
    }
}
