// The values of a store are `SecretBytes`.
@_exported public import SecretMemory
