// The types of the public declarations here: `import VaultAgent` alone is enough to use a vault through its agent.
@_exported public import VaultCore
