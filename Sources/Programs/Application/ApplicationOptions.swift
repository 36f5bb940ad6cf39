package import Platform
package import TextCoding
package import VaultCore

/// The choices for an operation, whichever program asks for it.
package struct ApplicationOptions: Sendable {
    /// The folder of the vault and all its files; nil for that of the environment.
    package var home: String?
    /// The environment variables.
    package var environment: EnvironmentVariables
    /// Whether the operation works through the agent.
    package var usesAgent = true
    /// The kind of secret that opens the vault.
    package var openingKind = KeySlotKind.passphrase
    /// Whether a vault that is older than this machine's rollback record, or forked, is accepted.
    package var acceptsOlder = false
    /// Whether another vault than the one last seen at its place is accepted.
    package var acceptsOther = false
    /// Whether output is for programs: an agent that is started writes its errors as JSON.
    package var isForPrograms = false
    /// The words of the operation in hints, such as `secret show`.
    package var operation = ""
    /// The time.
    package var now: @Sendable () -> PointInTime = { .now }

    /// Makes the usual choices.
    package init(_ environment: EnvironmentVariables, home: String? = nil) {
        self.environment = environment
        self.home = home
    }
}
