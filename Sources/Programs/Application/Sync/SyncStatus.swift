internal import Sync
internal import SyncStorage

/// A device of the group.
package struct SyncMember: Sendable, Hashable {
    /// Its id, in hexadecimal digits.
    package let id: String
    /// Its name; empty until it is known.
    package let name: String
    package let isOwn: Bool
    /// When this home applied its newest change, in milliseconds since 1970-01-01 UTC; nil if it applied none.
    package let heard: Int64?

    /// The name, or the first digits of the id.
    package var shownName: String { name.isEmpty ? String(id.prefix(8)) : name }
}

/// The state of sync as this machine knows it, without asking the remote.
package struct SyncStatus: Sendable {
    /// The absolute path of a folder, or the address of the account's server.
    package let remote: String
    package let group: String
    package let lastRound: SyncRound?
    /// This device first, then by name.
    package let devices: [SyncMember]
    /// The device of the newest change that this one has, and when it came, in milliseconds since 1970-01-01 UTC; nil without any.
    package let newest: (device: SyncMember, time: Int64)?
    /// Segments that the remote was not seen to have.
    package let unsent: Int
    /// Segments with parts that wait for `unlock`.
    package let waitingForUnlock: Int
    /// Segments with parts that wait for `verify`.
    package let waitingForVerification: Int
    /// The number of secrets and tasks that are marked *concurrent*.
    package let marked: Int
}

/// The words of `sync check`.
package struct SyncCheck: Sendable {
    /// Six words, equal on devices with the same history.
    package let words: [String]
    /// Changes that have not come yet, and so are not in the words. Each says which device must sync first.
    package let waiting: [SyncProblem]
    /// The changes that this device sent just now: the others have not seen them.
    package let sent: Int
}

/// The heads of a chain, and what waits in it, as its store knows them.
struct ChainSummary {
    var chains: [DeviceID: ChainState] = [:]
    var unsent = 0
    var waitingForUnlock = 0
    var waitingForVerification = 0
    var marked = 0

    /// Reads a store.
    init(_ database: SyncDatabase, own: DeviceID) throws {
        try database.mirrorTransaction { transaction in
            let ledger = transaction.ledger
            chains = ledger.chains
            let newest = ledger.chains[own]?.number ?? 0
            unsent = Int(newest - min(ledger.published, newest))
            waitingForUnlock = try transaction.keptParts(.whileUnlocked).count
            waitingForVerification = try transaction.keptParts(.afterVerification).count
            marked = try transaction.marked().count
        }
    }

    /// An empty store.
    init() {}

    /// The newest segments of the chain's devices.
    var heads: Heads {
        chains.filter { $0.value.number > 0 }.mapValues {
            Head(number: $0.number, hash: $0.hash)
        }
    }
}

/// Words of five letters for numbers: proquints (Wilkerson, 2009), which can be pronounced and need no list.
enum CheckWords {
    private static let consonants = Array("bdfghjklmnprstvz")
    private static let vowels = Array("aiou")

    /// The word of 16 bits.
    static func word(_ bits: UInt16) -> String {
        let bits = Int(bits)
        return String([
            consonants[bits >> 12], vowels[bits >> 10 & 3], consonants[bits >> 6 & 15],
            vowels[bits >> 4 & 3], consonants[bits & 15],
        ])
    }
}
