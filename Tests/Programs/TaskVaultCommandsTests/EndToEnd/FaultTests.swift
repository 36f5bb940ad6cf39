import Foundation
import Testing
import TestSupport

/// System calls fail, once and for good, or are the process's last, in every command that matters.
///
/// The ordinary run takes some of the faults; `TASKVAULT_FAULTS` asks for another number of them in each scenario.
@Suite(
    .enabled(if: Tracer.isUsable, Tracer.reason),
    .waitsForProcesses)
struct FaultTests {
    /// Of each scenario; three fifths of them are changes.
    private static let sample = Attack.amount("TASKVAULT_FAULTS", ordinary: 6)

    /// Those that change what is on the medium, and those by which an answer leaves.
    private static let changes = [
        "pwrite64", "write", "fdatasync", "fsync", "ftruncate", "unlink", "unlinkat", "rename",
        "renameat2", "mkdir", "fchown",
    ]
    private static let changeEffects = [
        "signal=KILL:when=%", "error=EIO:when=%", "error=EIO:when=%+", "error=ENOSPC:when=%",
        "error=ENOSPC:when=%+", "error=EINTR:when=%",
    ]

    @Test(arguments: FaultScenario.all)
    func aChangeIsWholeOrHasNotBeen(scenario: FaultScenario) throws {
        try sweep(
            scenario, calls: Self.changes, effects: Self.changeEffects, sample: Self.sample * 3 / 5)
    }

    /// Those by which a command finds, reads, locks and gets memory. Not `getrandom`: without it libsodium ends the process, as it should.
    private static let reads = [
        "openat", "pread64", "read", "newfstatat", "fcntl", "flock", "close", "mmap", "mprotect",
        "mlock", "munmap", "madvise", "readlink", "ioctl", "faccessat2",
    ]
    private static let readEffects = [
        "signal=KILL:when=%", "error=EIO:when=%", "error=EIO:when=%+", "error=ENOMEM:when=%",
        "error=EINTR:when=%",
    ]

    @Test(
        .disabled(if: Sanitizer.isActive, "not run: a sanitizer ends the process without memory"),
        arguments: FaultScenario.all)
    func anAnswerIsRightOrIsNone(scenario: FaultScenario) throws {
        try sweep(
            scenario, calls: Self.reads, effects: Self.readEffects, sample: Self.sample * 2 / 5)
    }

    /// Of the calls of a command that changes every key and every row, as many as `TASKVAULT_KEY_KILLS` asks for.
    private static let keyKills = Attack.amount("TASKVAULT_KEY_KILLS", ordinary: 5)

    @Test(arguments: [FaultScenario.rekey, .changePassphrase])
    func aRekeyIsWholeWhereverItIsKilled(scenario: FaultScenario) throws {
        let home = try TestHome(withVault: false)
        try scenario.prepare(home)
        let before = try HomeCopy(of: home)
        let faults = try SystemCallFault.kills(of: scenario, in: home)
        #expect(faults.count > 100)
        let outcomes = try strike(faults, sample: Self.keyKills, scenario, home, before)
        if outcomes.count > 100 {
            #expect(Set(outcomes) == [.old, .new], "some kills came before the change, some after")
        }
    }

    private func sweep(
        _ scenario: FaultScenario, calls: [String], effects: [String], sample: Int
    ) throws {
        let home = try TestHome(withVault: false)
        try scenario.prepare(home)
        let before = try HomeCopy(of: home)
        let faults = try SystemCallFault.all(of: scenario, in: home, calls: calls, effects: effects)
        #expect(faults.count > 18)
        try strike(faults, sample: sample, scenario, home, before)
    }

    @discardableResult
    private func strike(
        _ all: [SystemCallFault], sample: Int, _ scenario: FaultScenario, _ home: TestHome,
        _ before: HomeCopy
    ) throws -> [FaultScenario.Outcome] {
        var generator = SeededGenerator(seed: 1 + Attack.round)
        let faults = all.shuffled(using: &generator).prefix(sample)
        var outcomes: [FaultScenario.Outcome] = []
        var struck = 0
        for fault in faults {
            try before.restore()
            let (result, isStruck) = try fault.strike(scenario, in: home)
            if isStruck { struck += 1 }
            if let outcome = try expectWhole(scenario, home, fault, result, isStruck) {
                outcomes.append(outcome)
            }
        }
        // How often memory is asked for varies a little from run to run.
        #expect(struck * 2 >= faults.count, "\(struck) of \(faults.count) came to pass")
        Attack.report(["scenarios": 1, "faults": faults.count, "struck": struck])
        return outcomes
    }

    private func expectWhole(
        _ scenario: FaultScenario, _ home: TestHome, _ fault: SystemCallFault,
        _ result: RunResult, _ isStruck: Bool
    ) throws -> FaultScenario.Outcome? {
        let code = result.exitCode
        let comment: Comment = "\(fault), exit \(code): \(result.errorText)"
        // The release build loads SQLite by itself, and ends as the dynamic linker does.
        let isUnlinked = code == 127 && result.errorText.hasPrefix("error: cannot load SQLite")
        #expect(code < 127 || isUnlinked || (fault.isDeadly && code == 137), comment)
        let outcome = try scenario.outcome(home)
        #expect(outcome == .new || (outcome == .old && code != 0), comment)
        if result.errorText.contains("nothing was changed"), scenario.prints == nil {
            #expect(outcome == .old, comment)
        }
        if let text = scenario.prints {
            #expect(
                result.outputText == text || (code != 0 && text.hasPrefix(result.outputText)),
                comment)
        }
        #expect(try home.run("doctor").exitCode == 0, comment)
        #expect(isStruck || code == 0, comment)
        return outcome
    }
}

extension FaultTests {
    /// Runs a command and lets calls of it fail; the trace, which names the files, is `trace` in the home's folder.
    ///
    /// - Parameters:
    ///   - home: Where.
    ///   - fault: What happens to which call, as strace has it.
    ///   - calls: The calls that are counted, each by itself.
    ///   - arguments: The command.
    ///   - input: What follows the passphrase on standard input.
    /// - Returns: How it ended, and whether it came to a call that was to fail.
    /// - Throws: What the system says if it cannot be started.
    static func run(
        _ home: TestHome, _ fault: String, calls: String, _ arguments: [String], input: String = ""
    ) throws -> (exitCode: Int32, isStruck: Bool) {
        let trace = home.folder + "/trace"
        let process = Process()
        process.executableURL = URL(filePath: Tracer.path)
        process.arguments =
            [
                "-f", "-y", "-qq", "-o", trace, "-e", "trace=" + calls,
                "-e", "inject=" + calls + ":" + fault, Executable.path,
            ] + arguments + ["--no-agent", "--passphrase-file", "-"]
        process.environment = home.environment
        process.currentDirectoryURL = URL(filePath: home.folder)
        // A file: a pipe that a killed process has not read would end the tests, too.
        let lines = home.folder + "/lines"
        try Files.write(TestHome.passphrase + "\n" + input, to: lines)
        process.standardInput = FileHandle(forReadingAtPath: lines)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let code =
            process.terminationReason == .uncaughtSignal
            ? 128 + process.terminationStatus : process.terminationStatus
        let isStruck = String(decoding: try Files.read(trace), as: UTF8.self)
            .contains(fault.hasPrefix("signal") ? "KILL" : "INJECTED")
        return (code, isStruck)
    }
}
