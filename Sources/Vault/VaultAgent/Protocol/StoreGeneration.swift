/// A value that differs after each change of a secret, for programs that cache results.
package struct StoreGeneration: Sendable, Hashable {
    /// The counter of the vault's state.
    package let counter: UInt64
    /// The number of changes of the secrets that exist only in the agent's memory.
    package let sessionSecrets: UInt64
}
