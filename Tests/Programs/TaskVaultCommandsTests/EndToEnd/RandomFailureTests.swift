import Foundation
import Platform
import Testing
import TestSupport

/// A system that does not give random numbers: the call fails once, and there is no device to read instead.
@Suite(
    .enabled(if: EmptyDevices.arePossible, "needs strace, and a mount namespace as root"),
    .waitsForProcesses)
struct RandomFailureTests {
    /// Not below `/dev`, which is empty for the program.
    private static let base = "/tmp"
    /// As a shell has it: 128 and the number of SIGABRT.
    private static let aborted = 128 + SIGABRT

    @Test func endsTheProgramBeforeThereIsAVault() throws {
        try everyCall { home, fault in
            let run = try home.runWithoutDevices(fault, ["init"] + TestHome.cheap)
            if run.isStruck {
                #expect(run.exitCode == Self.aborted)
                #expect(run.output.isEmpty)
                #expect(Files.names(in: home.home).isEmpty)
            } else {
                #expect(run.exitCode == 0)
                #expect(Files.names(in: home.home) == ["vault.db"])
            }
            return run.isStruck
        }
    }

    @Test func leavesNoValueThatWasSealedWithoutThem() throws {
        let home = try TestHome(in: Self.base)
        try home.save("before")
        let whole = try Files.read(home.vault)
        try everyCall { other, fault in
            try Files.write(whole, to: home.vault)
            let run = try home.runWithoutDevices(
                fault, ["secret", "generate", "--replace", "mail.example", "ada"])
            #expect(run.exitCode == (run.isStruck ? Self.aborted : 0))
            let value = try home.run("secret get mail.example ada --accept-older").outputText
            #expect(run.isStruck == (value == "before"))
            return run.isStruck
        }
    }

    /// Lets the first request for random numbers fail, then the second, and so on until none is left to fail.
    private func everyCall(_ body: (TestHome, _ fault: String) throws -> Bool) throws {
        var struck = 0
        // The first is not for the program: the system's allocator does without it.
        while try body(TestHome(withVault: false, in: Self.base), "error=ENOSYS:when=\(struck + 2)")
        {
            struck += 1
            try #require(struck < 100)
        }
        #expect(struck > 3, "each call was reached")
    }
}

extension TestHome {
    /// Runs a command where `/dev` is empty and `getrandom` fails as told.
    fileprivate func runWithoutDevices(
        _ fault: String, _ arguments: [String]
    ) throws -> (exitCode: Int32, isStruck: Bool, output: Data) {
        let trace = folder + "/trace"
        let process = Process()
        process.executableURL = URL(filePath: EmptyDevices.tool)
        process.arguments =
            [
                "-m", "/bin/sh", "-c", "mount -t tmpfs none /dev && exec \"$@\"", "sh",
                Tracer.path, "-f", "-qq", "-o", trace, "-e", "trace=getrandom",
                "-e", "inject=getrandom:" + fault, Executable.path,
            ] + arguments + ["--accept-older", "--no-agent", "--passphrase-file", passphraseFile]
        // Swift's own hashing would be the first to end the process, before the program begins.
        process.environment = environment.merging(
            ["SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_BACKTRACE": "enable=no"]
        ) { $1 }
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try output.fileHandleForWriting.close()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let isStruck = String(decoding: try Files.read(trace), as: UTF8.self).contains("INJECTED")
        let code =
            process.terminationReason == .uncaughtSignal
            ? 128 + process.terminationStatus : process.terminationStatus
        return (code, isStruck, printed)
    }
}

/// A mount namespace with an empty `/dev`, for one process.
private enum EmptyDevices {
    static let tool = "/usr/bin/unshare"

    /// Whether this system lets this user have one, and trace what runs in it.
    static let arePossible =
        geteuid() == 0 && Tracer.isUsable && Files.exists(tool) && mayMount()

    private static func mayMount() -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: tool)
        process.arguments = ["-m", "/bin/sh", "-c", "mount -t tmpfs none /dev"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
