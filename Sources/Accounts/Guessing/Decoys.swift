internal import Sealing

/// What is verified for a name without an account, so that a refusal takes as long as one of an account.
///
/// After the cost of passwords was changed, accounts keep the old one until somebody signs in, and the time of a refusal tells which. So a
/// name without an account has one of those costs too: always the same one as long as nothing changes, and each as often as among accounts.
struct Decoys: Sendable {
    private let key: DecoyKey
    /// A hash that no password has, of the cost of today.
    private let hash: PasswordHash

    /// Makes decoys of a hash of the cost of today.
    init(_ hash: PasswordHash, key: DecoyKey) {
        self.hash = hash
        self.key = key
    }

    /// The hash to verify for a name, while accounts have these costs.
    func hash(for name: EmailAddress, among counts: [PasswordCostCount]) -> PasswordHash {
        // The highest cost lies in the middle, and one lower cost after the other on either side of it, also where no account has it any more: so
        // names move to the highest cost as accounts do, and to no other one, and none moves because another cost is that of today.
        let sorted = counts.sorted { Self.order($0.cost) < Self.order($1.cost) }
        let sides = (0...1).map { side in
            sorted.indices.filter { $0 % 2 == side }.map { sorted[$0] }
        }
        let line = sides[0] + sides[1].reversed()
        let total = line.reduce(UInt64(0)) { $0 + UInt64($1.accounts) }
        var place = number(of: name).multipliedFullWidth(by: total).high
        for count in line {
            if place < UInt64(count.accounts) { return hash.pretended(cost: count.cost) }
            place -= UInt64(count.accounts)
        }
        // There are no accounts.
        return hash
    }

    private static func order(_ cost: KeyDerivationCost) -> (UInt64, UInt32) {
        (UInt64(cost.passes) * UInt64(cost.memoryKiB), cost.passes)
    }

    /// A number that is as good as random for whoever does not have the key.
    private func number(of name: EmailAddress) -> UInt64 {
        let digest = unsafe Blake2b.hash(size: 32, keyBytes: key.bytes.span.bytes) { input in
            input.feed("TaskVault decoys")
            input.feed(name.text)
        }
        return digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
