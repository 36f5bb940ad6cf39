internal import Platform
internal import VaultAgent
internal import VaultCore

/// Everyday work, as whole processes: a secret found by one word beside `secret-tool lookup`, a list, an import.
enum EverydayMeasurement {
    private static let importCount = 10_000

    static func run(
        _ effort: Effort, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let peer = try Keyring(in: folder)
        defer { peer?.end() }
        var last: BenchmarkVault?
        for count in [100, 10_000, Benchmarks.largeCount] {
            let vault = try BenchmarkVault("everyday-\(count).db", in: folder)
            _ = try vault.timeFilling(upTo: count)
            try vault.setCost(AgentMeasurement.cost)
            try measure(effort, vault, beside: peer, in: folder, into: &table)
            if count == 10_000 {
                try CredentialMeasurement.run(effort, vault, in: folder, into: &table)
            }
            last = vault
        }
        if let last { try ListMeasurement.run(effort, last, into: &table) }
        try measureImport(effort, in: folder, into: &table)
    }

    private static func measure(
        _ effort: Effort, _ vault: BenchmarkVault, beside peer: Keyring?, in folder: ScratchFolder,
        into table: inout Table
    ) throws {
        let home = try AgentHome(
            of: vault, in: folder, named: "everyday-home-\(vault.itemCount)")
        defer { home.end() }
        let word = try Sample.name(vault.itemCount / 2).service
        let secret = [home.executable, "--home", home.path, "secret"]
        // The first search of a session opens the descriptions of all items.
        let first = try PairedTimes.measure(rounds: effort.slowRounds) {
            _ = try home.client().lock()
            try home.client().unlock(with: .passphrase(try BenchmarkVault.passphrase()))
            return try Child.time(secret + ["get", word])
        } _: {
            let bare = try BareDatabase(vault.path)
            let lister = try BareLister(
                bare, try BareKeys(bare, passphrase: BenchmarkVault.passphraseText))
            return try Clock.time { _ = try lister.list() }
        }
        table.add(
            "first secret get WORD of \(vault.itemCount)", .time(first.first.median),
            against: "bare SELECT + 1 open each", .time(first.second.median), ratio: first.ratio,
            atMost: .time(300e6))
        let name = "secret get WORD of \(vault.itemCount)"
        if let peer {
            let times = try PairedTimes.measure(rounds: effort.rounds) {
                try Child.time(secret + ["get", word])
            } _: {
                try peer.timeLookup()
            }
            table.add(name, times, against: "secret-tool lookup of 100", aim: 0.5)
        } else {
            table.add(name, skipped: "no gnome-keyring-daemon or secret-tool")
        }
        let lists = try (0..<effort.slowRounds).map { _ in try Child.time(secret + ["list"]) }
        table.add(
            "secret list of \(vault.itemCount)", .time(lists.median), atMost: .time(350e6))
    }

    /// 10,000 secrets in one transaction, against bare inserts of the same rows.
    private static func measureImport(
        _ effort: Effort, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let times = try ImportMeasurement.times(
            of: importCount, rounds: effort.slowRounds, in: folder)
        table.add("import of 10,000", times, against: "bare insert, one transaction", aim: 4)
    }
}

/// GNOME's keyring with 100 passwords, on a bus of its own.
private final class Keyring {
    private let processes: [pid_t]
    private static let programs = [
        "/usr/bin/dbus-daemon", "/usr/bin/gnome-keyring-daemon", "/usr/bin/secret-tool",
    ]

    /// Starts it; nil if a program is missing.
    init?(in folder: ScratchFolder) throws {
        for program in Self.programs where unsafe access(program, X_OK) != 0 { return nil }
        let bus = folder.path(of: "bus")
        unsafe setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=\(bus)", 1)
        unsafe setenv("XDG_DATA_HOME", try folder.makeFolder("keyring"), 1)
        let runtime = try folder.makeFolder("keyring-run")
        let daemon = try Child.start([
            Self.programs[0], "--session", "--nofork", "--address=unix:path=\(bus)",
        ])
        try Self.wait(for: bus)
        let keyring = try Child.start([
            "/bin/sh", "-c",
            "printf pw | XDG_RUNTIME_DIR='\(runtime)' exec \(Self.programs[1]) --foreground --unlock --components=secrets",
        ])
        processes = [keyring, daemon]
        try Self.wait(for: folder.path(of: "keyring/keyrings/login.keyring"))
        for number in 0..<100 {
            _ = try Child.time([
                "/bin/sh", "-c",
                "printf %s password-\(number) | \(Self.programs[2]) store --label=\(number) service s\(number) account ada",
            ])
        }
    }

    func timeLookup() throws -> Double {
        try Child.time([Self.programs[2], "lookup", "service", "s50", "account", "ada"])
    }

    func end() {
        for process in processes {
            kill(process, SIGTERM)
            var status: Int32 = 0
            unsafe waitpid(process, &status, 0)
        }
    }

    private static func wait(for path: String) throws {
        for _ in 0..<500 {
            if unsafe access(path, F_OK) == 0 { return }
            usleep(10_000)
        }
        throw BenchmarkFailure("no \(path)")
    }
}
