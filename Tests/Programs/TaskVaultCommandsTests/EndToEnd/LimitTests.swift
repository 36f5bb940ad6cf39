import Foundation
import Platform
import Testing
import TestSupport

private let limiter = "/usr/bin/prlimit"

/// The system grants a command less than it needs: memory, descriptors, the size of a file.
@Suite(
    .enabled(if: Files.exists(limiter), "not run: prlimit is not installed"),
    .disabled(if: Sanitizer.isActive, "not run: a sanitizer needs more than is granted here"),
    .waitsForProcesses)
struct LimitTests {
    private static let commands = [
        "secret get mail.example ada", "secret set --replace mail.example ada",
    ]

    @Test(arguments: commands)
    func tooLittleMemoryIsAnError(command: String) throws {
        let least = try Self.leastMemory()
        let limits = stride(from: least, to: least + 64 << 10, by: 4 << 10)
        let outcomes = try sweep(command, limits: limits.map { "--as=\($0 << 10)" })
        let refused = outcomes.filter { $0.exitCode != 0 }
        // The derivation takes 19 MiB.
        #expect((3..<8).contains(refused.count))
        for outcome in refused { Self.expectShortMemory(outcome) }
    }

    /// Where memory is enough for the program's first act and for little else, its parts run out of it one after the other.
    @Test func aLittleMoreMemoryThanTheLoaderTakesIsAnError() throws {
        let home = try TestHome()
        try home.save("value")  // From the first change on SQLite needs shared memory.
        let least = try Self.leastMemory()
        for kibibytes in stride(from: least, to: least + 512, by: 8) {
            Self.expectShortMemory(try Self.list(in: home, kibibytes))
        }
    }

    /// With how many KiB the program begins. With less, the loader, or a library before the program's first act, ends the process.
    private static func leastMemory() throws -> Int {
        let home = try TestHome()
        var (tooLittle, enough) = (1 << 10, 128 << 10)
        while enough - tooLittle > 16 {
            let middle = (tooLittle + enough) / 2
            if try list(in: home, middle).exitCode >= 127 {
                tooLittle = middle
            } else {
                enough = middle
            }
        }
        return enough
    }

    private static func list(in home: TestHome, _ kibibytes: Int) throws -> RunResult {
        try home.runBare(
            ["secret", "list", "--no-agent", "--passphrase-file", home.passphraseFile],
            beneath: [limiter, "--as=\(kibibytes << 10)"])
    }

    private static func expectShortMemory(_ result: RunResult) {
        #expect(result.exitCode == 1)
        // Before the program's first act Swift may say that it has no memory for its crash reports.
        #expect(
            result.errorLines.contains("taskvault: error: not enough memory"),
            "\(result.errorText)")
    }

    @Test(arguments: commands)
    func tooFewDescriptorsAreAnError(command: String) throws {
        let outcomes = try sweep(command, limits: (0...24).map { "--nofile=\($0)" })
        #expect(outcomes.contains { $0.exitCode == 1 })
    }

    @Test func aFileThatMayNotGrowIsAnError() throws {
        let outcomes = try sweep(
            Self.commands[1], limits: stride(from: 4, to: 80, by: 4).map { "--fsize=\($0 << 10)" })
        #expect(outcomes.contains { $0.exitCode == 1 })
    }

    /// Runs as another user: this limit does not apply to the administrator.
    @Test(
        .enabled(
            if: geteuid() == 0 && Files.exists("/usr/bin/setpriv"),
            "not run: it takes the administrator and setpriv"))
    func tooFewProcessesAreAnError() throws {
        let user = "64999"
        let home = try TestHome(withVault: false)
        func run(_ processes: Int, _ command: String) throws -> RunResult {
            try home.runBare(
                command.split(separator: " ").map(String.init),
                beneath: [
                    "/usr/bin/setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups",
                    limiter, "--nproc=\(processes)",
                ])
        }
        for path in [home.folder, home.passphraseFile] {
            try #require(unsafe chown(path, 64_999, 64_999) == 0)
        }
        if try run(9, "--version").exitCode != 0 {
            try Test.cancel("not run: other users cannot reach the executable")
        }
        // The program alone is enough.
        let file = " --no-agent --passphrase-file \(home.passphraseFile)"
        #expect(try run(1, "init " + TestHome.cheap.joined(separator: " ") + file).exitCode == 0)
        #expect(try run(1, "secret generate mail.example ada" + file).exitCode == 0)
        #expect(try run(1, "doctor" + file).exitCode == 0)
        #expect(try run(9, "doctor" + file).exitCode == 0)
    }

    /// Runs a command under limits that rise until it works, and looks at the vault after each.
    private func sweep(_ command: String, limits: [String]) throws -> [RunResult] {
        let home = try TestHome()
        try home.save("before")
        var current = "before"
        var outcomes: [RunResult] = []
        for (number, limit) in limits.enumerated() {
            let new = "value \(number)"
            let result = try home.runBare(
                command.split(separator: " ").map(String.init)
                    + ["--no-agent", "--passphrase-file", home.passphraseFile],
                input: Array(new.utf8), beneath: [limiter, limit])
            outcomes.append(result)
            let comment: Comment = "\(limit): \(result.exitCode) \(result.errorText)"
            switch result.exitCode {
            case 0 where command.hasPrefix("secret set"): current = new
            case 0: #expect(result.outputText == current, comment)
            case 1: #expect(result.errorText.contains("taskvault: error: "), comment)
            default:
                #expect(
                    result.exitCode == 127
                        && result.errorText.contains("error while loading shared libraries"),
                    comment)
            }
            #expect(try home.value() == current, comment)
        }
        #expect(outcomes.last?.exitCode == 0)
        #expect(try home.run("doctor").exitCode == 0)
        return outcomes
    }
}
