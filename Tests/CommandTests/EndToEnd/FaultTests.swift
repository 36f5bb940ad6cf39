import Foundation
import Testing

/// Each system call by which a save reaches the disk fails, or is the process's last.
@Suite(.enabled(if: Files.exists("/usr/bin/strace"), "strace is not installed"))
struct FaultTests {
    static let tracer = "/usr/bin/strace"

    private static let calls = "pwrite64,fdatasync,fsync,ftruncate,unlink"
    private static let faults = [
        "signal=KILL:when=%", "error=EIO:when=%", "error=EIO:when=%+", "error=ENOSPC:when=%",
        "error=ENOSPC:when=%+",
    ]

    @Test(arguments: faults)
    func losesNothingAcknowledgedAndLeavesNothingHalfDone(fault: String) throws {
        let home = try TestHome()
        try home.save("before")
        let whole = try Files.read(home.vault)
        var struck = 0
        for number in 1...200 {
            try Files.write(whole, to: home.vault)
            let (code, isStruck) = try Self.run(
                home, fault.replacing("%", with: "\(number)"), calls: Self.calls,
                ["secret", "set", "--replace", "mail.example", "ada", "--accept-older"],
                input: "after")
            // What was seen on this machine is older where the save was undone by hand.
            let value = try home.run("secret get mail.example ada --accept-older").outputText
            #expect(
                value == "after" || (value == "before" && code != 0), "call \(number), exit \(code)"
            )
            #expect(try home.run("doctor --accept-older").exitCode == 0, "call \(number)")
            #expect(!isStruck || code != 0 || value == "after")
            if !isStruck { break }
            struck += 1
        }
        #expect((5..<200).contains(struck), "every call was reached, and there is a last one")
    }

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
        process.executableURL = URL(filePath: tracer)
        process.arguments =
            [
                "-f", "-y", "-qq", "-o", trace, "-e", "trace=" + calls,
                "-e", "inject=" + calls + ":" + fault, Executable.path,
            ] + arguments + ["--no-agent", "--passphrase-file", "-"]
        process.environment = home.environment
        process.currentDirectoryURL = URL(filePath: home.folder)
        let standardInput = Pipe()
        process.standardInput = standardInput
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try standardInput.fileHandleForWriting.write(
            contentsOf: Data((TestHome.passphrase + "\n" + input).utf8))
        try standardInput.fileHandleForWriting.close()
        process.waitUntilExit()
        let code =
            process.terminationReason == .uncaughtSignal
            ? 128 + process.terminationStatus : process.terminationStatus
        let isStruck = String(decoding: try Files.read(trace), as: UTF8.self)
            .contains(fault.hasPrefix("signal") ? "KILL" : "INJECTED")
        return (code, isStruck)
    }
}
