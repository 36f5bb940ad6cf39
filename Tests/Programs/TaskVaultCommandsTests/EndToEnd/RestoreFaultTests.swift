import Foundation
import Testing
import TestSupport
import VaultStorage

/// System calls by which a restore changes files fail, or are the process's last.
@Suite(.enabled(if: Tracer.isUsable, Tracer.reason), .waitsForProcesses)
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
        for calls in ["renameat2,renameat,rename", "fsync", "unlink,unlinkat"] {
            for number in 1...100 {
                for name in Files.names(in: home.home) {
                    try FileManager.default.removeItem(atPath: home.home + "/" + name)
                }
                try Files.write(whole, to: home.vault)
                let run = try FaultTests.run(
                    home, fault.replacing("%", with: "\(number)"), calls: calls,
                    ["restore", "backup.db", "--replace", "--new-lineage"])
                let comment: Comment = "\(calls) \(number), exit \(run.exitCode)"
                let value = try home.run("secret get mail.example ada --accept-older").outputText
                let kept = try Files.names(in: home.home).filter {
                    try $0 != "vault.db" && Self.state(of: home.home + "/" + $0) == oldState
                }
                #expect(
                    value == "newer" || (value == "backed up" && kept.count == 1), comment)
                // The owner finds it.
                #expect(kept.allSatisfy { !$0.hasPrefix(".") }, comment)
                #expect(run.exitCode != 0 || value == "backed up", comment)
                // What may be gone after a power cut is not reported as done.
                let trace = String(decoding: try Files.read(home.folder + "/trace"), as: UTF8.self)
                let isUnsynced = trace.split(separator: "\n").contains {
                    $0.contains("fsync(") && $0.contains(home.home + ">")
                        && $0.contains("INJECTED")
                }
                #expect(run.exitCode != 0 || !isUnsynced, comment)
                if isUnsynced { unsynced += 1 }
                if value == "backed up" { replaced += 1 }
                if !run.isStruck { break }
                struck += 1
            }
        }
        #expect((5..<200).contains(struck), "every call was reached, and there is a last one")
        #expect(replaced > 1, "some faults came after the files were exchanged")
        #expect(unsynced > 0 || fault != Self.faults[1], "the folder was to be synced")
    }

    /// Otherwise two restores at once could overwrite what the other one kept.
    @Test func neverRenamesOverWhatAnotherRestoreKept() throws {
        let home = try TestHome()
        try home.save("value")
        try home.run("task add buy milk")
        try home.run("backup unauthenticated")
        // Puts this machine's key into the vault.
        try home.save("other", "other")
        expect(try home.run("backup b"), ends: 0)
        for options in [[], ["--new-lineage"]] {
            let run = try FaultTests.run(
                home, "error=EIO:when=60000", calls: "rename,renameat,renameat2",
                ["restore", "b", "--replace"] + options)
            #expect(run.exitCode == 0)
            let kept = try Self.lines(of: home).filter { $0.contains(".replaced-") }
            #expect(
                kept.allSatisfy {
                    $0.contains("RENAME_NOREPLACE") || $0.contains("RENAME_EXCHANGE")
                }, "\(kept)")
            #expect(kept.filter { $0.contains("RENAME_NOREPLACE") }.count == 2)
        }
    }

    /// A stored vault is not taken back: neither its only copy is removed, nor is it restored again in a new lineage.
    @Test func keepsTheCopyOfARestoreThatCannotBeRecorded() throws {
        let home = try TestHome()
        try home.save("old")
        try home.run("settings set require-rollback-record yes")
        try home.run("backup b")
        try home.run("secret update mail.example ada", input: "new")
        let before = try HomeCopy(of: home)
        let oldState = try #require(try Self.state(of: home.vault))
        func restore(_ fault: String) throws -> Int32 {
            try FaultTests.run(home, fault, calls: "flock", ["restore", "b", "--replace"]).exitCode
        }
        #expect(try restore("error=EIO:when=60000") == 0)
        // The commit is recorded under the last lock of the record.
        let last = try #require(
            try Self.lines(of: home).lastIndex {
                $0.contains("/rollback/") && $0.contains("LOCK_EX")
            })
        try before.restore()
        #expect(try restore("error=EIO:when=\(last + 1)") == 7)
        let kept = home.vault + ".replaced-1"
        #expect(try Self.state(of: kept) == oldState)
        #expect(Files.names(in: home.home).filter { $0.contains("replaced") }.count == 1)
        // On the old history, so that it opens without a question.
        #expect(try home.value() == "old")
    }

    private static func lines(of home: TestHome) throws -> [Substring] {
        String(decoding: try Files.read(home.folder + "/trace"), as: UTF8.self)
            .split(separator: "\n")
    }

    private static let changes =
        "pwrite64,write,fdatasync,fsync,ftruncate,rename,renameat2,unlink,unlinkat,mkdir"

    /// Vault, tasks and settings change one after the other: each state between is one in which every task has its text, and from which
    /// the restore can be run again.
    @Test(arguments: ["signal=KILL:when=%", "error=ENOSPC:when=%+"])
    func leavesAListAndAVaultThatFit(fault: String) throws {
        let home = try TestHome()
        try home.save("old")
        try home.run("task add --protected", input: "see a doctor\n")
        try home.run("backup unauthenticated")
        try home.run("settings set task-order name")
        // Puts this machine's key into the vault.
        try home.save("old", "other", "1")
        expect(try home.run("backup all"), ends: 0)
        try home.run("secret update mail.example ada", input: "new")
        let id = try #require(try Self.tasks(home).first?["id"] as? String)
        #expect(try home.run("task remove --yes \(id)").exitCode == 0)
        try home.run("task add --protected", input: "see a lawyer\n")
        let before = try HomeCopy(of: home)
        let undisturbed = try FaultTests.run(
            home, "error=EIO:when=60000", calls: Self.changes, ["restore", "all", "--replace"])
        #expect(undisturbed.exitCode == 0)
        let count = try Self.mostCalls(in: home.folder + "/trace")
        #expect(count > 20)
        var seen = Set<String>()
        let sample = Attack.amount("TASKVAULT_RESTORE_FAULTS", ordinary: 8)
        for number in stride(from: 1, through: count, by: max(1, count / sample)) {
            try before.restore()
            let run = try FaultTests.run(
                home, fault.replacing("%", with: "\(number)"), calls: Self.changes,
                ["restore", "all", "--replace"])
            let comment: Comment = "call \(number) of \(count), exit \(run.exitCode)"
            let value = try home.run("secret get mail.example ada").outputText
            let names = try Self.tasks(home).map { $0["name"] as? String ?? "no text" }
            #expect(names.count == 1, comment)
            seen.insert("\(value): \(names.joined())")
            if run.exitCode == 0 {
                #expect(value == "old" && names == ["see a doctor"], comment)
            }
            #expect(try home.run("doctor").exitCode == 0, comment)
            #expect(try home.run("restore all --replace").exitCode == 0, comment)
            #expect(try home.run("secret get mail.example ada").outputText == "old", comment)
            #expect(try Self.tasks(home).map { $0["name"] as? String } == ["see a doctor"], comment)
            // Nothing is left of a killed restore.
            #expect(Files.names(in: home.home).allSatisfy { !$0.hasPrefix(".") }, comment)
        }
        #expect(
            seen.isSubset(of: [
                "new: see a lawyer", "old: see a lawyer", "old: see a doctor",
            ]))
        #expect(seen.count > 1, "\(seen)")
    }

    private static func tasks(_ home: TestHome) throws -> [[String: Any]] {
        try home.run("task list --reveal --json").json as? [[String: Any]] ?? []
    }

    /// How often the most frequent call of a trace was made: strace counts each by itself.
    private static func mostCalls(in path: String) throws -> Int {
        var counts: [Substring: Int] = [:]
        for line in String(decoding: try Files.read(path), as: UTF8.self).split(separator: "\n") {
            guard let name = line.firstMatch(of: /^\d+ +([a-z0-9_]+)\(/)?.output.1 else { continue }
            counts[name, default: 0] += 1
        }
        return counts.values.max() ?? 0
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
