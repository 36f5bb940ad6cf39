import Testing
import TestSupport
import VaultCore
import VaultStorage

/// Slots, passphrase and record stay each machine's own, and a person is told of changes that were concurrent.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SyncOwnTests {
    private static let other = "six other words hardly mixed"

    private struct Own: Hashable {
        let vault: [UInt8]
        let slots: [KeySlotDescription]
        let records: [String]

        init(_ home: TestHome) throws {
            let storage = try VaultDatabase.openFile(at: home.vault, mode: .readOnly)
            defer { storage.close() }
            let locked = try LockedVault(storage, TestVault.environment())
            vault = locked.id
            slots = locked.slots
            records = Files.names(in: home.folder + "/state/taskvault/rollback").sorted()
        }
    }

    @Test func eachMachineKeepsItsSlotsPassphraseAndRollbackRecord() throws {
        let homes = try TwoHomes(isJoined: false)
        let (first, second) = (homes.first, homes.second)
        let changed = try second.run(
            "passphrase change --keep-keys", lines: [TestHome.passphrase, Self.other])
        #expect(changed.exitCode == 0, "\(changed.errorText)")
        try Files.write(Self.other + "\n", to: second.passphraseFile)
        for home in [first, second] { _ = try home.add("buy milk") }
        try homes.enable()
        try homes.join()
        let before = try [first, second].map { try Own($0) }
        #expect(before[0].vault != before[1].vault)
        #expect(Set(before[0].slots).isDisjoint(with: before[1].slots))
        #expect(before.allSatisfy { !$0.records.isEmpty })
        try first.save("hunter2")
        try second.save("correct horse", "bank.example")
        _ = try first.add("buy bread")
        try homes.sync()
        #expect(try second.value("mail.example") == "hunter2")
        for (home, own) in zip([first, second], before) {
            let now = try Own(home)
            #expect(now.vault == own.vault)
            #expect(now.slots == own.slots)
            #expect(now.records == own.records)
        }
        // Each passphrase opens its own machine only.
        for (home, passphrase) in [(first, Self.other), (second, TestHome.passphrase)] {
            #expect(try home.run("secret get bank.example ada", lines: [passphrase]).exitCode == 4)
            #expect(try home.value("bank.example") == "correct horse")
        }
    }

    @Test func concurrentTextsAreMarkedUntilTheirHistoryIsShown() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        _ = try first.add("buy milk")
        try homes.sync()
        func id(_ home: TestHome) throws -> String {
            try #require(try home.tasks().texts("id").first)
        }
        try first.doTask("edit", try id(first), "--name", "buy oat milk")
        try second.doTask("edit", try id(second), "--name", "buy two litres of milk")
        try homes.sync()
        let mark = "(concurrent)"
        for home in [first, second] {
            #expect(try home.doTask("list").outputText.contains(mark))
            #expect(
                try home.ask("sync status").outputLines.contains {
                    $0.contains("concurrent") && $0.contains(" 1: taskvault sync seen shows them")
                })
            #expect(try home.syncStatus["concurrent"] as? Int == 1)
        }
        let history = try first.doTask("history", try id(first)).outputText
        #expect(history.contains("buy oat milk"))
        try homes.sync()
        for home in [first, second] {
            #expect(try !home.doTask("list").outputText.contains(mark))
            #expect(try home.syncStatus["concurrent"] as? Int == 0)
        }
    }
}
