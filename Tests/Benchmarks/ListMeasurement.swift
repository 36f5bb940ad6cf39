internal import SecureStorage
internal import VaultCore

/// A list of everything by a session that has verified everything, against a SELECT of all rows and one open each.
enum ListMeasurement {
    static func run(_ effort: Effort, _ vault: BenchmarkVault, into table: inout Table) throws {
        let count = Double(vault.itemCount)
        try vault.withOpen { open in
            let bare = try BareDatabase(vault.path)
            let lister = try BareLister(
                bare, try BareKeys(bare, passphrase: BenchmarkVault.passphraseText))
            let times = try PairedTimes.measure(rounds: effort.slowRounds) {
                var items: [SecretItem] = []
                let time = try Clock.time { items = try open.vault.list() }
                guard items.count == vault.itemCount else { throw BenchmarkFailure("a short list") }
                return time
            } _: {
                var rows = 0
                let time = try Clock.time { rows = try lister.list() }
                guard rows == vault.itemCount else { throw BenchmarkFailure("a short list") }
                return time
            }
            table.add(
                "list of 100,000", .itemsPerSecond(count / times.first.median * 1e9),
                against: "bare SELECT + 1 open each",
                .itemsPerSecond(count / times.second.median * 1e9), ratio: times.ratio)
            try unsafe Work.requireSame("list", open.connection, bare, [.items])
        }
    }
}
