internal import Sealing
package import SecretMemory
internal import Sync

/// A device's own secret for one level of its stores. It is not a key of an epoch, and never leaves the device.
package final class StoreKey: Sendable {
    let key: Key<Purpose.SyncStore>

    /// Uses a secret of 32 bytes as key.
    package init(_ secret: consuming SecretBytes) {
        key = Key(secret)
    }

    /// The hashes that a store computes (`Docs/Sync.md`, section 13).
    enum Hash: String {
        /// Of the key itself: another key is noticed when the store is opened.
        case check = "TVSK"
        /// Of a secret.
        case fingerprint = "TVSF"
        /// Of an object and the fingerprint of one of its secrets.
        case stored = "TVSO"
        /// Of the detail of a field.
        case detail = "TVSD"
        /// Of the name of an item.
        case name = "TVSN"
        /// Of the name of a counterpart.
        case counterpart = "TVSC"

        static let size = 16
    }

    /// The keyed hash of some bytes.
    func hash(_ hash: Hash, _ feed: (borrowing Blake2b.Input) -> Void) -> [UInt8] {
        Blake2b.hash(size: Hash.size, key: key) { input in
            input.feed(hash.rawValue)
            feed(input)
        }
    }
}

/// The place of a sealed value in a store: the seal opens there only.
struct SealPlace {
    /// The values that are sealed.
    enum Part: UInt8 {
        case content = 1
        case secret = 2
        case detail = 3
        case counterpart = 4
        case names = 5
    }

    let device: DeviceID
    let object: ObjectID?
    let level: SyncLevel
    var revision: UInt64 = 0
    /// The other columns of the row.
    let columns: [UInt8]

    func context(_ part: Part) -> SealContext {
        SealContext(
            .syncRecord, vaultID: device.bytes, id: object?.bytes ?? [],
            accessClass: level.rawValue, revision: revision, part: part.rawValue,
            headerHash: Blake2b.hash(size: 32) { $0.feed(columns) })
    }
}
