internal import CommandLine
internal import Database

extension PostgreSQLAddress {
    /// Understands the address that a setting gives.
    ///
    /// - Throws: A failure of wrong usage; it does not repeat the address, which may hold a password.
    init(
        setting: String, _ preference: Preference, _ folders: VaultFolders
    ) throws(CommandFailure) {
        do throws(Failure) {
            try self.init(setting)
        } catch {
            throw CommandFailure(error, preference, folders)
        }
    }

    /// How messages name the server; parameters are for libpq, not for people.
    var title: String { String(text.prefix { $0 != "?" }) }
}

extension CommandFailure {
    fileprivate init(
        _ error: PostgreSQLAddress.Failure, _ preference: Preference, _ folders: VaultFolders
    ) {
        let name = preference.rawValue
        switch error {
        case .libraryMissing:
            self.init(
                .failure, code: "no_libpq",
                "PostgreSQL needs libpq, which this system does not have",
                hint: "on Debian: apt install libpq5")
        case .malformed:
            self.init(
                .usage, "the \(name) address is not understood",
                hint: folders.command("settings set \(name) postgresql://ada@db.example/tasks"))
        case .passwordInAddress:
            self.init(
                .usage, code: "password_in_address", "the \(name) address holds a password",
                hint:
                    "leave it out and write a line host:port:database:user:password into ~/.pgpass")
        case .refusedParameter(let parameter):
            self.init(.usage, "the \(name) address sets \(parameter), which is not to be set there")
        case .weakSecurity:
            self.init(
                .usage, code: "weak_security",
                "the \(name) address asks for less than a verified connection to another machine",
                hint: "leave sslmode out: it is verify-full")
        }
    }
}
