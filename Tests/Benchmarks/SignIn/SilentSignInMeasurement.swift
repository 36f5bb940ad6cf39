import Platform

/// The time that a silent sign-in adds to `unlock`, as whole processes, with the release build's server on loopback and its usual costs.
struct SilentSignInMeasurement {
    private let home: String
    private let passphrase: String

    static func run(
        _ effort: Effort, in folder: ScratchFolder, into table: inout Table
    ) throws {
        unsafe setenv("XDG_STATE_HOME", folder.path(of: "state"), 1)
        // Below those that the system gives to connections: what was measured before may have left some that are not forgotten yet.
        let port = 20_000 + getpid() % 10_000
        let server = try ServerProcess(
            [
                TaskVaultExecutable.path + "-authd", "serve", "--database",
                folder.path(of: "sign-in-accounts.db"), "--listen", "127.0.0.1:\(port)",
                "--registration", "open",
            ], log: "silent-sign-in.log", in: folder)
        defer { server.end() }
        let measurement = try SilentSignInMeasurement(in: folder, "http://127.0.0.1:\(port)")
        defer { measurement.end() }
        try measurement.add("unlock, signed in silently", effort, into: &table)
        server.end()
        try measurement.add("unlock, connection refused", effort, into: &table)
    }

    /// Makes a vault that is cheap to open, and an account.
    private init(in folder: ScratchFolder, _ server: String) throws {
        home = try folder.makeFolder("sign-in-home")
        passphrase = folder.path(of: "sign-in-passphrase")
        let password = folder.path(of: "sign-in-password")
        for path in [passphrase, password] {
            try folder.save(
                Array("four words rarely mixed\n".utf8),
                as: String(path.dropFirst(folder.path.utf8.count + 1)))
            unsafe chmod(path, 0o600)
        }
        _ = try run(
            ["init", "--kdf-memory", "19", "--kdf-passes", "2", "--passphrase-file", passphrase])
        _ = try unlock(["--offline"])
        _ = try run(["settings", "set", "server", server])
        _ = try run(["account", "create", "ada@example.org", "--password-file", password])
    }

    private func add(_ name: String, _ effort: Effort, into table: inout Table) throws {
        let times = try PairedTimes.measure(rounds: effort.rounds) {
            try unlock([])
        } _: {
            try unlock(["--offline"])
        }
        table.add(name, times, against: "unlock --offline")
        table.add("  more than --offline", .time(times.first.median - times.second.median))
    }

    private func unlock(_ options: [String]) throws -> Double {
        // With --json it makes no remarks, which would stand in the middle of the table.
        try run(["unlock", "--json", "--passphrase-file", passphrase] + options)
    }

    private func run(_ words: [String]) throws -> Double {
        try Child.time([TaskVaultExecutable.path, "--home", home] + words)
    }

    /// The agent ends with its folder; nobody waits for that here.
    private func end() {
        _ = try? run(["destroy", "--yes"])
    }
}
