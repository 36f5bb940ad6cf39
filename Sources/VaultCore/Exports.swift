// The types used in the public declarations: `import VaultCore` suffices to create, unlock and use a vault.
@_exported public import Sealing
@_exported public import SecretMemory
@_exported public import SecureStorage
@_exported public import VaultStorage
