internal import Application
internal import CommandLine
internal import Platform
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import Tasks
internal import TextCoding

/// `secret audit`: finds passwords that should be changed.
enum AuditSecretsCommand: Command {
    private static let age = OptionDescription(
        "older-than", .text("TIME"), "passwords of this age are old; never leaves them out",
        standard: "1 year")

    static let description = CommandDescription(
        path: ["secret", "audit"],
        summary: "find passwords that are reused, weak, old, expired or sent unencrypted",
        options: [age],
        notes: [
            """
            Examines the field password of each entry, and its addresses. reused: another entry has the same password. weak: libzxcvbn expects \
            fewer than 10^8 guesses. old: the secret was last changed longer ago than --older-than. expired: the day of secret edit --expires \
            or --change-every has passed, or that of an import. insecure: an address begins with http:// and is not on this machine.
            """,
            """
            Uses no network, and shows no password. The exit code is 1 if there are findings. Protected secrets require verification; without a \
            terminal they are left out with a warning.
            """,
        ],
        examples: [
            .init("taskvault secret audit", "all findings"),
            .init("taskvault secret audit --older-than '6 months'", "another age"),
            .init("taskvault secret audit --json", "for a program"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let now = context.console.surroundings.now()
        let calendar = context.tasks.calendar
        var audit = try SecretAudit(
            oldest: try oldest(context), today: TimeText.text(calendar.local(at: now).date))
        let count = try context.vault.withStore(.reading) { store in
            var items = try store.secrets.list()
            items.removeAll { $0.name.isReserved }
            let entries = SecretEntry.entries(of: items)
            for entry in entries { audit.add(entry) }
            try read(entries.compactMap { $0.field(SecretName.standardField) }, store, context) {
                try audit.add($0, $1)
            }
            return entries.count
        }
        let findings = audit.finish()
        try print(findings, count, context)
        if !findings.isEmpty { throw Failure.explained(.failure) }
    }

    /// Passwords from before this time are old; nil if none is.
    private static func oldest(_ context: CommandContext) throws -> PointInTime? {
        let text = context.invocation.text(of: age) ?? "never"
        if text == "never" { return nil }
        guard let period = SecretRenewal.Period(text) else { throw context.notAPeriod(age) }
        let now = context.console.surroundings.now()
        let calendar = context.tasks.calendar
        return try DueTimeParser.read(period.text, before: .moment(now), in: calendar)?
            .start(in: calendar)
    }

    /// Reads the passwords. Protected ones are left out if the owner cannot be asked to verify.
    private static func read(
        _ items: [SecretItem], _ store: OpenStore, _ context: CommandContext,
        _ body: (SecretItem, borrowing SecretBytes) throws -> Void
    ) throws {
        var items = items
        let protected = items.filter { $0.attributes.accessClass == .afterVerification }
        if !protected.isEmpty {
            do {
                try context.vault.requireVerified(store)
            } catch SecureStoreError.notVerified {
                items.removeAll { $0.attributes.accessClass == .afterVerification }
                context.console.notices.warn(
                    "not_audited",
                    "\(counted(protected.count, "protected secret")) left out: "
                        + context.folders.command("verify"))
            }
        }
        var line = ProgressLine("auditing", descriptor: context.console.surroundings.errors)
        var failure: (any Error)?
        do {
            try store.secrets.readEach(items.map(\.name)) {
                (index, item, value) throws(SecureStoreError) in
                line.update(done: index, of: items.count)
                do {
                    try body(item, value)
                } catch {
                    failure = error
                    throw SecureStoreError(translating: error)
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    private static func print(
        _ findings: [SecretAudit.Finding], _ count: Int, _ context: CommandContext
    ) throws {
        let console = context.console
        guard !console.isJSON else {
            return try console.printJSON { json in
                try json.beginArray()
                for finding in findings {
                    try json.beginObject()
                    try json.member("problem", finding.kind.rawValue)
                    try json.member("service", finding.name.service)
                    try json.member("account", finding.name.account)
                    try json.member("detail", finding.detail)
                    try json.endObject()
                }
                try json.endArray()
            }
        }
        guard !findings.isEmpty else {
            let entries = count == 1 ? "1 entry" : "\(count) entries"
            return try console.printLine("no problem in \(entries)")
        }
        var table = TextTable([
            TextTable.Column("PROBLEM", isWhole: true), TextTable.Column("SERVICE", isWhole: true),
            TextTable.Column("ACCOUNT", isWhole: true), TextTable.Column("DETAIL", takesRest: true),
        ])
        for finding in findings {
            table.add([
                finding.kind.rawValue, finding.name.service, finding.name.account, finding.detail,
            ])
        }
        try console.page { table.lines(on: $0) }
    }
}

extension CommandContext {
    /// The failure of an option that is not a period.
    func notAPeriod(_ option: OptionDescription) -> Failure {
        .usage(
            "\(option.spelling): not a number of days, weeks, months or years",
            hint: "such as '90d', '12 weeks', '6 months' or never")
    }
}
