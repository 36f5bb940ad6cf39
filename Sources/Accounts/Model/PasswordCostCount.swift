public import Sealing

/// How many accounts have a password of some cost.
public struct PasswordCostCount: Sendable, Hashable {
    /// The cost.
    public let cost: KeyDerivationCost
    /// How many accounts; 0 where all that had it have another one now.
    public let accounts: Int

    /// Puts them together.
    public init(cost: KeyDerivationCost, accounts: Int) {
        self.cost = cost
        self.accounts = accounts
    }
}
