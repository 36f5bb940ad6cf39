// The vocabulary of the public declarations here: one `import VaultAgent` is enough to reach the agent of a vault and use it.
@_exported public import VaultCore
