// Places, options and errors of a database: `import VaultStorage` suffices to open a vault's records.
@_exported public import Database
