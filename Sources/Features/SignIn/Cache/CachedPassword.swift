public import SecretMemory
internal import SecureStorage
public import TextCoding

/// A password from the vault.
public final class CachedPassword: Sendable {
    /// The password.
    public let value: SecretBytes
    /// The item's revision. It shows whether another process changed the item.
    public let revision: UInt64
    /// The machine that started the change; nil for a current password.
    public let machine: String?
    /// The time at which it was stored.
    public let stored: PointInTime
    /// Whether the server's rejection is final.
    let isRejected: Bool
    /// Whether the server rejected it while its change could still be in progress.
    let isProvisionallyRejected: Bool
    /// For a current password: the time of the pending password that was stored when the server
    /// rejected this one.
    let rejectedBeside: PointInTime?

    init(_ item: consuming StoredItem) {
        revision = item.revision
        machine = item.attributes[Key.machine]
        stored = item.attributes.time(Key.time) ?? PointInTime(milliseconds: item.modified)
        isRejected = item.attributes[Key.rejected] != nil
        isProvisionallyRejected = item.attributes[Key.tried] != nil
        rejectedBeside = item.attributes.time(Key.rejectedBeside)
        value = item.value
    }

    /// Whether both are the same stored password, regardless of later rejections.
    func isSame(as other: CachedPassword) -> Bool {
        machine == other.machine && stored == other.stored && value.isEqual(to: other.value)
    }

    /// The keys of its attributes.
    enum Key {
        static let rejected = "rejected"
        static let tried = "tried"
        static let rejectedBeside = "rejected-beside"
        static let machine = "machine"
        static let time = "time"
    }
}
