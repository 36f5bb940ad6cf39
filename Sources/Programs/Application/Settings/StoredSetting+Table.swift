internal import HTTPClient
internal import Inbox
internal import SecretMemory
internal import Services
internal import SignIn
internal import Tasks
internal import TextCoding
internal import VaultCore

extension StoredSetting {
    /// All settings, in the order of the documents.
    package static let all: [StoredSetting] =
        VaultSetting.all.map(StoredSetting.init) + [
            server, serverEndpoints, serverClient, clientSecret, scope, redirect, serverAuthorities,
            serverKey, allowCachingCredentials, offlineLimit, accountNotices, fileSort, fileSizes,
            inboxPictures, allowSaving, database, vault, taskOrder, remindByDefault, dayReminder,
            clearAfter, snooze, clearClipboardAfter,
            reminderCommand, servicesSecrets, servicesGit, servicesDocker,
        ]

    private static let server = StoredSetting(
        "server",
        .text("none, or an address such as https://auth.example.org (http on this machine only)"),
        standard: none, .signInItem(get: { $0.server?.text ?? none }, set: setServer),
        "the auth server")
    private static let serverEndpoints = StoredSetting(
        "server-endpoints",
        .text(
            "none, or pairs of a name and an address, separated by spaces, such as token=https://auth.example.org/token; the names are token, authorization, device and revocation"
        ),
        standard: none, .signInItem(get: { $0.endpoints?.text ?? none }, set: setEndpoints),
        "the endpoints of a server that does not describe itself")
    private static let redirect = StoredSetting(
        "redirect",
        .text("an address of this machine, such as http://localhost:8400/callback, or none"),
        standard: RedirectAddress.standard.text,
        .signInItem(
            get: { $0.redirect.text },
            set: { text, settings in
                guard text != none else {
                    settings.redirect = .standard
                    return
                }
                guard let redirect = RedirectAddress(text) else {
                    throw Failure.usage(
                        "redirect is an address of http at 127.0.0.1, [::1] or localhost, without a query",
                        hint: "without a port, any free one is used")
                }
                settings.redirect = redirect
            }),
        "where a server's page sends the browser after a sign-in")
    private static let serverClient = StoredSetting(
        "server-client", .text("a client ID"), standard: "taskvault",
        .signInItem(
            get: { $0.clientID },
            set: { text, settings in
                guard AccountName(text) != nil else {
                    throw Failure.usage("invalid client ID")
                }
                settings.clientID = text
            }),
        "the client ID of this program at the server")
    /// The secret of this program at the server.
    package static let clientSecret = StoredSetting(
        "client-secret",
        .text("none, or a file, whose first line is copied into the vault; - reads the line"),
        standard: none,
        .signInItem(get: { $0.clientSecret == nil ? none : "set" }, set: setClientSecret),
        "the secret of this program at a server that requires one")
    private static let scope = StoredSetting(
        "scope", .text("none, or words separated by spaces"), standard: none,
        .signInItem(get: { $0.scope.isEmpty ? none : $0.scope }, set: setScope),
        "what a sign-in asks a server for")
    private static let serverAuthorities = StoredSetting(
        "server-ca", .text("none, or a PEM file, which is copied into the vault"),
        standard: none,
        .signInItem(
            get: {
                $0.authorities.isEmpty
                    ? none : $0.authoritiesFile.isEmpty ? "(unknown file)" : $0.authoritiesFile
            }, set: setAuthorities),
        "additional certificate authorities for the server")
    private static let serverKey = StoredSetting(
        "server-key", .text("none, or keys that begin with sha256//, separated by commas"),
        standard: none,
        .signInItem(
            get: { $0.pinnedKeys.isEmpty ? none : $0.pinnedKeys.joined(separator: ",") },
            set: setKeys),
        "the public keys that the server may have")
    private static let allowCachingCredentials = StoredSetting(
        "allow-caching-credentials", .yesNo, standard: "yes",
        .signInItem(
            get: { $0.cachesCredentials ? "yes" : "no" },
            set: { $1.cachesCredentials = $0 == "yes" }),
        "keep passwords and tokens in the vault; switching it off erases them")
    private static let offlineLimit = StoredSetting(
        "offline-limit", .time("1s", "365d"),
        standard: "168h",
        .signInItem(
            get: { TimeSpan(seconds: UInt64($0.offlineLimit)).text },
            set: { $1.offlineLimit = UInt32(TimeSpan($0)?.seconds ?? 0) }),
        "how long a sign-in is valid while the server cannot be reached")
    private static let accountNotices = StoredSetting(
        "account-notices", .yesNo, standard: "no",
        .signInItem(
            get: { $0.receivesNotices ? "yes" : "no" },
            set: { $1.receivesNotices = $0 == "yes" }),
        "an unlock puts new devices, copied tokens and wrong passwords of the account into the inbox"
    )

    private static let fileSort = StoredSetting(
        "file-sort", SettingType<FileOrder>.choice("ORDER"),
        standard: FileOrder.name.rawValue,
        .fileItem(
            get: { $0.order.rawValue }, set: { $1.order = FileOrder(rawValue: $0) ?? .name }),
        "the order of a list of files: by name from A to Z, its reverse, by size or by time")
    private static let fileSizes = StoredSetting(
        "file-sizes", .yesNo, standard: "yes",
        .fileItem(
            get: { $0.showsSizes ? "yes" : "no" }, set: { $1.showsSizes = $0 == "yes" }),
        "show sizes in a list of files")

    private static let inboxPictures = StoredSetting(
        "inbox-pictures", SettingType<PictureLoading>.choice("WHEN"), standard: "ask",
        .inboxItem(
            get: { $0.loadsPictures ? "always" : "ask" },
            set: { $1.loadsPictures = $0 == "always" }),
        "the picture of a message is loaded when it is shown, which its server sees, or on request")
    /// Whether checklists can be saved.
    static let allowSaving = StoredSetting(
        "allow-saving", .yesNo, standard: "yes",
        .inboxItem(
            get: { $0.allowsSaving ? "yes" : "no" }, set: { $1.allowsSaving = $0 == "yes" }),
        "checklists may be saved; switching it off erases the saved ones")

    /// The place of the tasks.
    package static let database = StoredSetting(
        "database", .database(local: "sqlite"), standard: "sqlite", .file,
        "where the tasks are; the password of a server is in ~/.pgpass")
    /// The place of the vault.
    package static let vault = StoredSetting(
        "vault", .database(local: "file"), standard: "file", .file, "where the vault is")
    /// The order of a list of tasks.
    package static let taskOrder = StoredSetting(
        "task-order", SettingType<TaskOrder>.choice("ORDER"), standard: "due", .file,
        "the order of a list of tasks")
    /// Whether a task with a new due time gets a reminder.
    package static let remindByDefault = StoredSetting(
        "remind-by-default", .yesNo, standard: "no", .file,
        "a new task with a due time gets a reminder")
    /// The time of day at which the reminder of a whole day is announced.
    package static let dayReminder = StoredSetting(
        "day-reminder",
        SettingType<Int>(
            .text("CLOCK"), "a time of day such as 9:00 or 18:30",
            canonical: { text in DayReminders.clock(text) ?? text }
        ) { DayReminders.secondOfDay($0) }, standard: "9:00", .file,
        "when the reminder of a whole day is announced")
    /// The time for which completed tasks stay visible.
    static let clearAfter = StoredSetting(
        "clear-after", .time("1m", "8760h", unlimited: "never"),
        standard: "24h", .file, "how long a completed task is shown")
    /// The delay before a snoozed reminder fires again.
    package static let snooze = StoredSetting(
        "snooze", .time("1m", "24h"), standard: "10m", .file,
        "how much later a reminder fires again after Later")
    /// The time after which a copied value is cleared; a file can only shorten it.
    package static let clearClipboardAfter = StoredSetting(
        "clear-clipboard-after", .time("1s", "45s"), standard: "45s", .file,
        "a copied secret is cleared from the clipboard after this time")
    /// The program that runs for each announcement.
    static let reminderCommand = StoredSetting(
        "reminder-command", .program, standard: none, .machineFile,
        "the program that is run for each reminder, without a shell; never part of a backup")

    /// The value of an enabled interface.
    package static let on = "on"

    /// The secrets that programs can use over D-Bus.
    package static let servicesSecrets = StoredSetting(
        "services-secrets", SettingType<ProgramAccess>.choice("ACCESS"),
        standard: ProgramAccess.programs.rawValue, .machineFile,
        "the secrets that programs can read over D-Bus: those that they made, or also yours that are not protected"
    )
    /// Whether git can read secrets.
    package static let servicesGit = StoredSetting(
        "services-git", .onOff, standard: on, .machineFile, "answer git's questions for passwords")
    /// Whether docker can read secrets.
    package static let servicesDocker = StoredSetting(
        "services-docker", .onOff, standard: on, .machineFile,
        "answer docker's questions for passwords")
}

// Documents.
extension StoredSetting {
    /// A paragraph for each place of settings, with permissions, effects and valid values.
    package static let notes = [
        paragraph(
            "In the sealed state of the vault; a change requires an unlocked vault, and relaxing a limit requires verification"
        ) { if case .vaultState = $0 { true } else { false } },
        paragraph("In the vault, for the sign-in; a change requires an unlocked vault") {
            if case .signInItem = $0 { true } else { false }
        },
        paragraph("In the vault, for its files; a change requires an unlocked vault") {
            if case .fileItem = $0 { true } else { false }
        },
        paragraph(
            "In the vault, for messages and checklists; a change requires an unlocked vault"
        ) { if case .inboxItem = $0 { true } else { false } },
        paragraph(
            "In the file settings, in the vault's folder or in $XDG_CONFIG_HOME/taskvault"
        ) { if case .file = $0 { true } else { false } },
        paragraph("Always in $XDG_CONFIG_HOME/taskvault/settings, also with --home") {
            if case .machineFile = $0 { true } else { false }
        },
    ]

    private static func paragraph(
        _ place: String, _ isThere: (Storage) -> Bool
    ) -> String {
        let settings = all.filter { isThere($0.storage) }.map { setting in
            let standard = setting.standard == none ? "" : ", default \(setting.standard)"
            return "\(setting.name), \(setting.setting.help) (\(setting.setting.values)\(standard))"
        }
        return place + ": " + settings.joined(separator: "; ") + "."
    }
}

// Values that need validation beyond their text.
extension StoredSetting {
    /// The largest file of certificates, in bytes.
    private static let maximumAuthorities = 1_048_576

    @Sendable private static func setServer(_ text: String, _ settings: inout SignInSettings)
        throws
    {
        var server: Issuer?
        if text != none {
            do {
                server = Issuer(try WebURL(text))
            } catch HTTPClientError.address(let problem) {
                throw Failure.usage(
                    "server is an address such as https://auth.example.org: \(problem)")
            }
            guard server != nil else {
                throw Failure.usage(
                    "server is an address of https, or of http on this machine, without a query, of at most \(Issuer.maximumSize) bytes",
                    hint: "such as https://auth.example.org"
                )
            }
        }
        // An account or client of one server is unknown at another, which must never receive its
        // secret.
        if server != settings.server {
            settings.account = nil
            settings.clientSecret = nil
            settings.endpoints = nil
        }
        settings.server = server
    }

    @Sendable private static func setEndpoints(_ text: String, _ settings: inout SignInSettings)
        throws
    {
        var endpoints: ServerEndpoints?
        if text != none {
            endpoints = ServerEndpoints(text)
            guard endpoints != nil else {
                throw Failure.usage(
                    "server-endpoints is pairs such as token=https://auth.example.org/token, with addresses of https, or of http on this machine",
                    hint: "token is required; authorization, device and revocation are optional")
            }
        }
        // Other endpoints must never receive the secret.
        if endpoints != settings.endpoints { settings.clientSecret = nil }
        settings.endpoints = endpoints
    }

    @Sendable private static func setClientSecret(_ text: String, _ settings: inout SignInSettings)
        throws
    {
        guard text != none else {
            settings.clientSecret = nil
            return
        }
        let file: TrustedFile
        do {
            file = try TrustedFile(text, limit: ClientSecret.maximumSize + 2, followingLinks: true)
        } catch {
            throw Failure.usage(
                "cannot read the client secret: \(TrustedFile.explanation(of: error))")
        }
        var line = try file.content.copy()
        let end = line.withBytes { bytes in
            (0..<bytes.byteCount).first { bytes[$0] == 0x0A || bytes[$0] == 0x0D }
                ?? bytes.byteCount
        }
        line.keep(count: end)
        settings.clientSecret = try clientSecret(typed: line)
    }

    /// A client secret.
    static func clientSecret(typed line: consuming SecretBytes) throws -> ClientSecret {
        guard let secret = ClientSecret(line) else {
            throw Failure.usage(
                "a client secret is a line of 1 to \(ClientSecret.maximumSize) ASCII characters")
        }
        return secret
    }

    /// A scope is a list of tokens (RFC 6749, section 3.3).
    @Sendable private static func setScope(_ text: String, _ settings: inout SignInSettings) throws
    {
        guard text != none else {
            settings.scope = ""
            return
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let isScope = words.allSatisfy { word in
            !word.isEmpty
                && word.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        }
        guard isScope, text.utf8.count <= 512 else {
            throw Failure.usage("scope is words of ASCII, separated by single spaces")
        }
        settings.scope = text
    }

    @Sendable private static func setAuthorities(_ text: String, _ settings: inout SignInSettings)
        throws
    {
        guard text != none else {
            settings.authorities = []
            settings.authoritiesFile = ""
            return
        }
        let file: TrustedFile
        do {
            file = try TrustedFile(text, limit: maximumAuthorities, followingLinks: true)
        } catch {
            throw Failure.usage(
                "cannot read the certificates: \(TrustedFile.explanation(of: error))")
        }
        let content = file.content.withBytes { $0.array }
        _ = try HTTPClient(HTTPClientOptions(authorities: .bytes(content)))
        settings.authorities = content
        settings.authoritiesFile = text
    }

    @Sendable private static func setKeys(_ text: String, _ settings: inout SignInSettings) throws {
        settings.pinnedKeys =
            text == none
            ? []
            : try text.split(separator: ",", omittingEmptySubsequences: false).map {
                try PinnedKey(String($0)).description
            }
    }
}
