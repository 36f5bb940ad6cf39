// The vocabulary of the public declarations here: one `import VaultCore` is enough to make, unlock and use a vault.
@_exported public import Sealing
@_exported public import SecretMemory
@_exported public import SecureStorage
@_exported public import VaultStorage
