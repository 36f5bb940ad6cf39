internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// The first read after unlocking, which verifies all bucket records and the rows of one bucket.
enum FirstReadMeasurement {
    static func run(_ effort: Effort, _ vaults: Vaults, into table: inout Table) throws {
        for vault in [vaults.empty, vaults.small, vaults.large] {
            var shuffle = Shuffle()
            var times: [Double] = []
            for _ in 0..<effort.rounds {
                let number = Int.random(in: 0..<max(1, vault.itemCount), using: &shuffle)
                let name = try Sample.name(number)
                times.append(
                    try vault.withOpen { open in
                        var isFound = false
                        let time = try Clock.time { isFound = try open.reads(name) }
                        guard isFound == (vault.itemCount > 0) else {
                            throw BenchmarkFailure("a wrong answer")
                        }
                        return time
                    })
            }
            table.add("first read after opening, \(vault.itemCount) items", .time(times.median))
        }
    }
}

extension OpenVault {
    /// Reads an item.
    ///
    /// - Returns: `false` if there is none.
    func reads(_ name: SecretName) throws(SecureStoreError) -> Bool {
        do throws(SecureStoreError) {
            return try vault.read(name) { (_, value) throws(SecureStoreError) in value.count > 0 }
        } catch .notFound {
            return false
        } catch {
            throw error
        }
    }
}
