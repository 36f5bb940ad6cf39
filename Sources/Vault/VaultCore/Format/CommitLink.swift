internal import Sealing
internal import VaultStorage

/// The link of a commit in the history chain (`Docs/Format.md`, section 6).
struct CommitLink: Sendable, Hashable {
    static let size = 16

    let bytes: [UInt8]

    /// Creates a new link for a state.
    init(_ state: VaultState, under key: borrowing RowHashKey, random: RandomSource) {
        let salt = random.bytes(count: 16)
        bytes = Blake2b.hash(size: Self.size, key: key) { input in
            input.feed("TVLK")
            input.feed(salt)
            input.feed(state.bytes(withHistory: false))
        }
    }

    /// Opens a record.
    init(_ record: LinkRecord, under key: borrowing StateKey, vaultID: [UInt8]) throws {
        guard record.bytes.count == LinkRecord.size, SealedRecord.hasKnownFormat(record.bytes)
        else { throw VaultError.damaged(.linkDamaged) }
        bytes = try SealedRecord.withOpened(
            record.bytes, under: key, Self.context(vaultID, record.counter), failure: .linkDamaged
        ) { reader in
            guard let bytes = reader.raw(Self.size) else { throw VaultError.damaged(.linkDamaged) }
            return bytes
        }
    }

    /// The record to store under a counter.
    func sealed(
        counter: UInt64, under key: borrowing StateKey, vaultID: [UInt8], random: RandomSource
    ) -> LinkRecord {
        LinkRecord(
            counter: counter,
            bytes: SealedRecord.seal(
                bytes, under: key, Self.context(vaultID, counter), random: random))
    }

    /// The history after the commit with this link.
    func history(after previous: [UInt8], counter: UInt64) -> [UInt8] {
        Blake2b.hash(size: 32) { input in
            input.feed("TVHI")
            input.feed(previous)
            input.feed(counter)
            input.feed(bytes)
        }
    }

    private static func context(_ vaultID: [UInt8], _ counter: UInt64) -> SealContext {
        SealContext(.link, vaultID: vaultID, revision: counter)
    }
}
