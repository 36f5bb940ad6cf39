package import Platform
package import TextCoding
package import VaultCore

/// The options of an operation, for any program that runs it.
package struct ApplicationOptions: Sendable {
    /// The folder of the vault and all its files; nil for the one of the environment.
    package var home: String?
    package var environment: EnvironmentVariables
    /// Whether the operation works through the agent.
    package var usesAgent = true
    /// The kind of secret that unlocks the vault.
    package var openingKind = KeySlotKind.passphrase
    /// Whether to accept a vault or a to-do list that is older than this machine's record, or forked.
    package var acceptsOlder = false
    /// Whether to accept a vault other than the one last seen at its place.
    package var acceptsOther = false
    /// Whether output is for programs: a started agent then writes its errors as JSON.
    package var isForPrograms = false
    /// The command of the operation in hints, such as `secret show`.
    package var operation = ""
    /// The source of the current time.
    package var now: @Sendable () -> PointInTime = { .now }

    /// Creates the default options.
    package init(_ environment: EnvironmentVariables, home: String? = nil) {
        self.environment = environment
        self.home = home
    }
}
