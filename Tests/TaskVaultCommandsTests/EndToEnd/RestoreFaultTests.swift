import Foundation
import Testing
import TestSupport
import VaultStorage

/// Each system call by which a restore moves files fails, or is the process's last.
@Suite(.enabled(if: Files.exists(FaultTests.tracer), "strace is not installed"), .waitsForProcesses)
struct RestoreFaultTests {
    private static let faults = ["signal=KILL:when=%", "error=EIO:when=%", "error=EIO:when=%+"]

    @Test(arguments: faults)
    func keepsTheVaultThatItReplaces(fault: String) throws {
        let home = try TestHome()
        try home.save("backed up")
        try home.run("backup backup.db")
        try home.run(
            ["secret", "set", "--replace", "mail.example", "ada"], input: Array("newer".utf8))
        let whole = try Files.read(home.vault)
        let oldState = try #require(try Self.state(of: home.vault))
        var struck = 0
        var replaced = 0
        var unsynced = 0
        for number in 1...100 {
            for name in Files.names(in: home.home) {
                #expect(unsafe unlink(home.home + "/" + name) == 0)
            }
            try Files.write(whole, to: home.vault)
            let run = try FaultTests.run(
                home, fault.replacing("%", with: "\(number)"),
                calls: "renameat2,renameat,rename,fsync,unlink,unlinkat",
                ["restore", "backup.db", "--replace"])
            let value = try home.run("secret get mail.example ada --accept-older").outputText
            let kept = try Files.names(in: home.home).filter {
                try $0 != "vault.db" && Self.state(of: home.home + "/" + $0) == oldState
            }
            #expect(
                value == "newer" || (value == "backed up" && kept.count == 1),
                "call \(number), exit \(run.exitCode)")
            #expect(run.exitCode != 0 || value == "backed up", "call \(number)")
            // What may be gone after a power cut is not reported as done.
            let trace = String(decoding: try Files.read(home.folder + "/trace"), as: UTF8.self)
            let isUnsynced = trace.split(separator: "\n").contains {
                $0.contains("fsync(") && $0.contains(home.home + ">") && $0.contains("INJECTED")
            }
            #expect(run.exitCode != 0 || !isUnsynced, "call \(number)")
            if isUnsynced { unsynced += 1 }
            if value == "backed up" { replaced += 1 }
            if !run.isStruck { break }
            struck += 1
        }
        #expect((5..<100).contains(struck), "every call was reached, and there is a last one")
        #expect(replaced > 1, "some faults came after the files were exchanged")
        #expect(unsynced > 0 || fault != Self.faults[1], "the folder was to be synced")
    }

    /// The state record of a vault file; nil if it is none.
    private static func state(of path: String) throws -> [UInt8]? {
        guard let storage = try? VaultDatabase.openFile(at: path, mode: .readOnly) else {
            return nil
        }
        defer { storage.close() }
        return try storage.read { (reader) throws in try reader.state() }
    }
}
