// Places, options and errors of a database: one `import VaultStorage` is enough to open a vault's records.
@_exported public import Database
