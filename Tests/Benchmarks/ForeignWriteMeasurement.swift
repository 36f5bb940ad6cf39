internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// The first read after another connection changed an item, in the bucket of that item and in another one.
enum ForeignWriteMeasurement {
    static func run(
        _ effort: Effort, _ vault: BenchmarkVault, into table: inout Table
    ) throws {
        let changed = try Sample.name(0)
        let other = try Sample.name(1)
        var value = try SecretBytes(count: Sample.valueSize)
        Sample.fill(&value, for: 0)
        try vault.withOpen { reader in
            try reader.verifyAll()
            try vault.withOpen { writer in
                for (name, place) in [(other, "another bucket"), (changed, "the same bucket")] {
                    var times: [Double] = []
                    for _ in 0..<effort.rounds {
                        try writer.vault.update(changed, to: value, expecting: nil)
                        times.append(try Clock.time { _ = try reader.reads(name) })
                    }
                    table.add("read after a foreign write to \(place)", .time(times.median))
                }
            }
        }
    }
}
