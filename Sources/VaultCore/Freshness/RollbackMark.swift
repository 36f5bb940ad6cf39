internal import Sealing
internal import Synchronization

/// A rollback record: the newest state of a vault seen by this machine (`Docs/Format.md`, section 8).
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

    /// Parses a rollback record.
    ///
    /// - Throws: `FormatFailure.markDamaged` unless the bytes are a record of this vault.
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

    /// Whether a vault in this state is at least as new as `mark`.
    func isAtLeast(_ mark: RollbackMark) -> Bool {
        counter > mark.counter || (counter == mark.counter && digest == mark.digest)
    }

    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        Blake2b.hash(size: 16) { $0.feed(bytes) }
    }
}

/// The rollback records of a machine. Thread-safe.
public protocol RollbackMarks: Sendable {
    /// The rollback record of a vault, or nil if this machine has none.
    ///
    /// - Throws: `RollbackMarkError`.
    func mark(of vaultID: [UInt8]) throws(RollbackMarkError) -> RollbackMark?

    /// Stores a rollback record.
    ///
    /// - Parameters:
    ///   - mark: The new rollback record.
    ///   - force: Whether to replace a newer or damaged record. If false, a newer record is kept.
    /// - Throws: `RollbackMarkError`.
    func remember(_ mark: RollbackMark, force: Bool) throws(RollbackMarkError)
}

/// Why a rollback record could not be read or stored.
public enum RollbackMarkError: Error, Sendable, Hashable {
    /// The rollback record is damaged.
    case damaged
    /// Another user can change the folder, or one above it.
    case unsafe(path: String, reason: String)
    /// Reading or writing failed; the folder's path and `errno`.
    case unavailable(path: String, code: Int32)
}

/// Rollback records in memory: for tests, and for stores without rollback risk.
public final class MemoryRollbackMarks: RollbackMarks {
    private let marks = Mutex<[[UInt8]: RollbackMark]>([:])

    /// Creates an empty set of rollback records.
    public init() {}

    /// The rollback record of a vault.
    public func mark(of vaultID: [UInt8]) throws(RollbackMarkError) -> RollbackMark? {
        marks.withLock { $0[vaultID] }
    }

    /// Stores a rollback record.
    public func remember(_ mark: RollbackMark, force: Bool) throws(RollbackMarkError) {
        marks.withLock { marks in
            if !force, let known = marks[mark.vaultID], !mark.isAtLeast(known) { return }
            marks[mark.vaultID] = mark
        }
    }
}
