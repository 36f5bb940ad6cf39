import Foundation
import Testing
import TestSupport

/// A command that is disturbed, and how to see what it did.
struct FaultScenario: CustomTestStringConvertible, Sendable {
    /// The rest of the home after a command that may have been disturbed.
    enum Outcome: Sendable {
        /// All is as if the command had never run.
        case old
        /// All is as if nothing had disturbed it.
        case new
    }

    static let newPassphrase = "nine lives of another cat"

    let testDescription: String
    /// The words of the command, parted by blanks.
    let command: String
    /// The text that it reads from standard input.
    let lines: [String]
    /// Brings a home without a vault into the state before the command.
    let prepare: @Sendable (TestHome) throws -> Void
    /// Tells old from new, and gives nil for anything between.
    let outcome: @Sendable (TestHome) throws -> Outcome?
    /// The output of an undisturbed run, if that is what it is for.
    var prints: String?

    /// Runs the command.
    func run(in home: TestHome, beneath wrapper: [String] = []) throws -> RunResult {
        try home.runBare(
            command.split(separator: " ").map(String.init) + [
                "--no-agent", "--passphrase-file", "-",
            ],
            input: Array(lines.joined(separator: "\n").utf8), beneath: wrapper)
    }

    static let all = [
        set, get, initialise, changePassphrase, rekey, restore, restoreInNewLineage, backup,
    ]

    private static let set = FaultScenario(
        testDescription: "secret set --replace",
        command: "secret set --replace mail.example ada", lines: [TestHome.passphrase, "after"],
        prepare: { try makeVault($0) },
        outcome: { try tell($0.valueIfAny(), old: "before", new: "after") })

    private static let get = FaultScenario(
        testDescription: "secret get",
        command: "secret get mail.example ada", lines: [TestHome.passphrase],
        prepare: { try makeVault($0) },
        // It changes nothing: both are right.
        outcome: { try tell($0.valueIfAny(), old: nil, new: "before") },
        prints: "before")

    private static let initialise = FaultScenario(
        testDescription: "init",
        command: "init " + TestHome.cheap.joined(separator: " "), lines: [TestHome.passphrase],
        prepare: { _ in },
        outcome: { home in
            if try home.run("secret list").exitCode == 0 { return .new }
            guard !Files.exists(home.vault) else { return nil }
            try home.make()
            return .old
        })

    static let changePassphrase = FaultScenario(
        testDescription: "passphrase change",
        command: "passphrase change", lines: [TestHome.passphrase, newPassphrase],
        prepare: { try makeVault($0) },
        outcome: { home in
            let old = try home.valueIfAny()
            let new = try home.run("secret get mail.example ada", lines: [newPassphrase])
            // The slot and the keys change together.
            switch (old, new.exitCode, new.outputText, try keyEpoch(of: home)) {
            case ("before", 4, "", 1): return .old
            case (nil, 0, "before", 2):
                // For those who look at the vault next.
                try Files.write(newPassphrase + "\n", to: home.passphraseFile)
                return .new
            default: return nil
            }
        })

    static let rekey = FaultScenario(
        testDescription: "rekey",
        command: "rekey", lines: [TestHome.passphrase],
        prepare: { try makeVault($0) },
        outcome: { home in
            guard try home.valueIfAny() == "before" else { return nil }
            let code = String(decoding: try Files.read(home.folder + "/code"), as: UTF8.self)
            guard try home.run("doctor --recovery", lines: [code]).exitCode == 0 else { return nil }
            return switch try keyEpoch(of: home) {
            case 1: .old
            case 2: .new
            default: nil
            }
        })

    private static let restore = restore("restore --replace", "restore backup.db --replace")
    private static let restoreInNewLineage = restore(
        "restore --new-lineage", "restore backup.db --replace --new-lineage")

    private static func restore(_ description: String, _ command: String) -> FaultScenario {
        FaultScenario(
            testDescription: description, command: command, lines: [TestHome.passphrase],
            prepare: { home in
                try makeVault(home)
                try #require(home.run("backup backup.db").exitCode == 0)
                try #require(
                    home.run("secret set --replace mail.example ada", input: "now").exitCode == 0)
            },
            outcome: { home in
                let outcome = try tell(home.valueIfAny(), old: "now", new: "before")
                guard outcome == .new else { return outcome }
                // The old vault is kept, if not always under the name that says so.
                let kept = Files.names(in: home.home).filter { $0 != "vault.db" }
                return kept.contains { (try? value(in: home.home + "/" + $0)) == "now" }
                    ? .new : nil
            })
    }

    private static let backup = FaultScenario(
        testDescription: "backup",
        command: "backup backup.db", lines: [],
        prepare: { try makeVault($0) },
        outcome: { home in
            guard try home.valueIfAny() == "before" else { return nil }
            let path = home.folder + "/backup.db"
            if Files.exists(path) { return try restored(path) == "before" ? .new : nil }
            return try home.run("backup backup.db").exitCode == 0 ? .old : nil
        })

    private static func keyEpoch(of home: TestHome) throws -> UInt8 {
        let bytes = try Files.read(home.vault)
        return bytes[try VaultBytes.header(in: bytes) + 24]
    }

    private static func makeVault(_ home: TestHome) throws {
        let made = try home.run(["init"] + TestHome.cheap)
        try Files.write(TestHome.recoveryCode(in: made.outputText), to: home.folder + "/code")
        try home.save("before")
    }

    private static func tell(_ value: String?, old: String?, new: String) -> Outcome? {
        value == new ? .new : value != nil && value == old ? .old : nil
    }

    /// The content that another home finds in a backup.
    private static func restored(_ path: String) throws -> String? {
        let other = try TestHome(withVault: false)
        guard try other.run("restore \(path)").exitCode == 0 else { return nil }
        return try other.valueIfAny()
    }

    /// The content that another home finds in a copy of a file.
    private static func value(in path: String) throws -> String? {
        let other = try TestHome(withVault: false)
        try FileManager.default.createDirectory(
            atPath: other.home, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try Files.copy(path, to: other.vault)
        return try other.valueIfAny()
    }
}

extension TestHome {
    /// The value that most tests use, if it can be read.
    fileprivate func valueIfAny() throws -> String? {
        let found = try run("secret get mail.example ada")
        return found.exitCode == 0 ? found.outputText : nil
    }
}
