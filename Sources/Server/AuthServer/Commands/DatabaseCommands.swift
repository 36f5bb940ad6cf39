internal import Accounts
internal import CommandLine
internal import Database
internal import Platform
internal import TextCoding

/// `move-database`: copies all accounts into another database.
enum MoveDatabaseCommand: ServerCommand {
    private static let target = OperandDescription(
        "DATABASE", "the path of a file, or an address such as postgresql://host/name")

    static let description = CommandDescription(
        path: ["move-database"],
        summary: "copy all accounts, sessions, messages and checklists into another database",
        operands: [target],
        notes: [
            """
            Stop all servers before, and start them with the new setting, which the command prints: it does not change the configuration file. The other \
            database must have no accounts. The old file stays complete under another name, unless another program is using it.
            """
        ],
        examples: [
            .init(
                "taskvault-authd move-database postgresql://authd@db.example/accounts",
                "from SQLite to PostgreSQL"),
            .init(
                "taskvault-authd move-database /var/lib/taskvault-authd/accounts.db --database postgresql://authd@db.example/accounts",
                "and back"),
        ],
        exitCodes: .ofDatabase + [.alreadyExists])

    static func run(_ context: ServerContext) throws {
        let source = try context.database()
        let text = context.invocation.text(of: target)
        if let violation = AccountDatabasePlace.violation(text) {
            throw Failure.usage("DATABASE \(violation)", hint: AccountDatabasePlace.hint(text))
        }
        guard let place = try AccountDatabasePlace(text)?.absolute else {
            throw Failure.usage("DATABASE is empty")
        }
        guard place != source.absolute else {
            throw Failure.usage("the accounts are already in \(place.title)")
        }
        let key = try PseudonymFile(context)
        let copied = try context.withRepository { repository in
            let other: AccountRepository
            do {
                other = try place.openOrCreate(connections: 2)
            } catch {
                throw Failure(error, in: place, context)
            }
            defer { other.close() }
            do {
                return try repository.move(to: other)
            } catch AccountCopyError.notEmpty {
                throw Failure(
                    .alreadyExists, code: "database_not_empty",
                    "\(place.title) already has accounts, invitations or checklists",
                    hint: "name another database")
            }
        }
        let kept = try putAside(source, context)
        var lines = ["database = \(place.text)"]
        // Without a configuration file the key is beside the file of the accounts.
        if context.settings.file == nil, context.settings.value(ServerSettings.pseudonymKey) == nil
        {
            lines.append("pseudonym-key = \(FileSystem.absolute(key.path))")
        }
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.member("accounts", copied.accounts)
                try json.member("database", place.text)
                try json.member("kept", kept)
                try json.key("lines")
                try json.beginArray()
                for line in lines { try json.string(line) }
                try json.endArray()
                try json.endObject()
            }
        }
        try context.printLine(
            "copied \(counted(copied.accounts, "account")) to \(place.title); the old database is \(kept)"
        )
        try context.printLine("for the configuration file:")
        try context.printLines(lines)
    }

    /// Renames the file of the copied accounts, so that no server uses it any more.
    ///
    /// - Returns: The place of the old database.
    private static func putAside(
        _ source: AccountDatabasePlace, _ context: ServerContext
    ) throws -> String {
        guard case .file(let path) = source, !FileSystem.exists(path + "-wal") else {
            // SQLite would not find the log of a file that another program has open.
            context.notices.warn(
                "old_database_in_use",
                "servers whose settings still name \(source.title) continue to use the old database"
            )
            return source.title
        }
        let kept = path + ".moved-" + context.now.text
        do {
            try FileSystem.rename(path, to: kept)
        } catch let error as SystemFailure {
            throw Failure(
                .failure, code: "cannot_rename",
                "the accounts were copied, but \(path) keeps its name: \(error.explanation)")
        }
        return kept
    }
}

/// `restore`: replaces all accounts by those of a backup.
enum RestoreCommand: ServerCommand {
    private static let file = OperandDescription("FILE", .file, "a copy of a database file")
    private static let yes = OptionDescription("yes", "do it without asking; for scripts")

    static let description = CommandDescription(
        path: ["restore"],
        summary: "replace all accounts by those of a backup, and end all sessions",
        operands: [file],
        options: [yes],
        notes: [
            """
            Replaces the content of the database, a file or a server's, in one transaction, also while servers use it. A backup brings back changed \
            passwords and removed accounts; sessions are ended, so each owner types the password again. Make the backup by sqlite3's .backup, or copy the file while no \
            server runs.
            """
        ],
        examples: [.init("taskvault-authd restore accounts-2026-11-28.db", "after asking")],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        let path = context.invocation.text(of: file)
        let source = AccountDatabasePlace.file(path)
        let place = try context.database()
        guard source.absolute != place.absolute else {
            throw Failure.usage("\(path) is the database itself")
        }
        let backup: AccountRepository
        do {
            backup = try AccountRepository.open(.file(path), DatabaseOptions(mode: .readOnly))
        } catch DatabaseError.notFound {
            throw Failure(.notFound, code: "no_file", "the backup \(path) does not exist")
        } catch {
            throw Failure(error, in: source, context)
        }
        defer { backup.close() }
        let surroundings = context.surroundings
        try Consent.require(
            to: "replace all accounts in \(place.title)", unless: yes, in: context.invocation,
            from: surroundings.standardInput
        ) {
            try surroundings.openTerminal().confirm(
                "Replace all accounts in \(place.title) by those of \(path)? This cannot be undone")
        }
        let copied = try context.withAccounts(creating: true) { try backup.restore(into: $0) }
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.member("accounts", copied.accounts)
                try json.member("ended_sessions", copied.endedSessions)
                try json.endObject()
            }
        }
        try context.printLine(
            "restored \(counted(copied.accounts, "account")), and ended \(counted(copied.endedSessions, "session"))"
        )
    }
}
