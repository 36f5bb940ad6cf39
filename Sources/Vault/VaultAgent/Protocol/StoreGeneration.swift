/// What differs after each change of a secret, for programs that remember what they found.
package struct StoreGeneration: Sendable, Hashable {
    /// The counter of the vault's state.
    package let counter: UInt64
    /// Changes of the secrets that the agent keeps in its memory.
    package let sessionSecrets: UInt64
}
