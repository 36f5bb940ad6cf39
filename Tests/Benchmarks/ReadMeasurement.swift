internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// Reads of a session that has verified everything: an item that is there, and one that is not.
enum ReadMeasurement {
    private static let batch = 1_000

    static func run(
        _ effort: Effort, _ vault: BenchmarkVault, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let bare = try BareDatabase(try folder.copy(vault.path, to: "read-bare.db"))
        let keys = try BareKeys(bare, passphrase: BenchmarkVault.passphraseText)
        let reader = try BareReader(bare, keys)
        try vault.withOpen { open in
            try open.verifyAll()
            try requireSameAnswers(open, reader, keys)
            for isThere in [true, false] {
                var shuffle = Shuffle()
                let names = try (0..<batch).map { _ in
                    try Sample.name(
                        Int.random(in: 0..<vault.itemCount, using: &shuffle)
                            + (isThere ? 0 : vault.itemCount))
                }
                let tags = names.map { keys.tag(service: $0.service, account: $0.account) }
                let times = try PairedTimes.measure(rounds: 5 * effort.rounds) {
                    try Clock.time(per: batch) {
                        for name in names where try open.reads(name) != isThere {
                            throw BenchmarkFailure("a wrong answer")
                        }
                    }
                } _: {
                    try Clock.time(per: batch) {
                        for tag in tags where try reader.read(tag) != isThere {
                            throw BenchmarkFailure("a wrong answer")
                        }
                    }
                }
                table.add(
                    isThere ? "read, 100,000 items" : "read of a missing item", times,
                    against: isThere ? "bare SELECT + 2 opens" : "bare SELECT", aim: 1.5)
            }
            try unsafe Work.requireSame(
                "read", open.connection, bare, [.header, .items, .buckets, .state])
        }
    }

    /// Makes sure that both give the same value.
    private static func requireSameAnswers(
        _ open: OpenVault, _ reader: BareReader, _ keys: BareKeys
    ) throws {
        let name = try Sample.name(4_711)
        let value = try open.vault.read(name) { (_, value) throws(SecureStoreError) in
            value.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
        }
        let tag = keys.tag(service: name.service, account: name.account)
        guard try reader.read(tag), Array(reader.value[4..<(4 + Sample.valueSize)]) == value else {
            throw BenchmarkFailure("product and baseline read different values")
        }
    }
}
