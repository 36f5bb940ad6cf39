import Foundation
import Platform
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Vault files at several places of one machine, with its rollback records in a folder.
@Suite("Places of a vault")
struct PlaceTests {
    /// A machine with homes for vaults, in a temporary folder.
    private struct Machine {
        let folder: String
        var records: String { folder + "/state/rollback" }

        func path(_ home: String) -> String { "\(folder)/\(home)/vault.db" }

        func environment(
            _ home: String, acceptsOlder: Bool = false, acceptsOther: Bool = false
        ) -> VaultEnvironment {
            var environment = TestVault.environment(
                rollbackRecords: FileRollbackRecords(folder: records, place: path(home)))
            environment.acceptsOlder = acceptsOlder
            environment.acceptsOther = acceptsOther
            return environment
        }

        func create(_ home: String) throws {
            try VaultLocation.prepareFolder(at: "\(folder)/\(home)")
            _ = try VaultFile.create(
                at: path(home), environment(home), passphrase: TestVault.passphrase(),
                cost: TestVault.cost)
        }

        @discardableResult
        func use<Result>(
            _ home: String, acceptsOlder: Bool = false, acceptsOther: Bool = false,
            _ body: (UnlockedVault) throws -> Result
        ) throws -> Result {
            let environment = environment(
                home, acceptsOlder: acceptsOlder, acceptsOther: acceptsOther)
            let vault = try VaultFile.open(at: path(home), environment)
                .unlock(with: TestVault.secret())
            defer { vault.lock() }
            return try body(vault)
        }

        func copy(_ home: String, to other: String) throws {
            try VaultLocation.prepareFolder(at: "\(folder)/\(other)")
            unsafe unlink(path(other))
            try FileManager.default.copyItem(atPath: path(home), toPath: path(other))
        }
    }

    private func withMachine(_ body: (Machine) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder: folder)
            try machine.create("home")
            try machine.use("home") { try TestVault.fill($0, count: 2) }
            try body(machine)
        }
    }

    @Test("another vault in the place of one is refused until the owner accepts it")
    func otherVault() throws {
        try withMachine { machine in
            try machine.create("other")
            try machine.copy("home", to: "kept")
            try machine.copy("other", to: "home")
            let refused = VaultError.otherVault(isDestroyed: false)
            #expect(throws: refused) { try machine.use("home") { _ in } }
            #expect(throws: refused) { try machine.use("home", acceptsOlder: true) { _ in } }
            #expect(try machine.use("home", acceptsOther: true) { try $0.list().count } == 0)
            try machine.use("home") { try TestVault.fillOne($0, 5) }
            // The way back needs the owner's word, too.
            try machine.copy("kept", to: "home")
            #expect(throws: refused) { try machine.use("home") { _ in } }
        }
    }

    @Test("an older state is refused although another vault was accepted in between")
    func otherVaultInBetween() throws {
        try withMachine { machine in
            try machine.create("other")
            try machine.copy("home", to: "older")
            try machine.use("home") { try TestVault.fillOne($0, 5) }
            try machine.copy("home", to: "newest")
            try machine.copy("other", to: "home")
            try machine.use("home", acceptsOther: true) { _ in }
            try machine.copy("older", to: "home")
            #expect(throws: VaultError.rolledBack(found: 3, seen: 4)) {
                try machine.use("home", acceptsOther: true) { _ in }
            }
            try machine.copy("newest", to: "home")
            #expect(try machine.use("home", acceptsOther: true) { try $0.list().count } == 3)
            // And the other way round.
            try machine.copy("other", to: "home")
            #expect(try machine.use("home", acceptsOther: true) { try $0.list().isEmpty })
        }
    }

    @Test("another vault is refused in a session that goes on over it")
    func otherVaultInSession() throws {
        try withMachine { machine in
            let records = FileRollbackRecords(folder: machine.records, place: machine.path("home"))
            try machine.use("home") { vault in
                var other = try #require(try records.read())
                other.isRetired = true
                try records.replace(with: other)
                #expect(throws: SecureStoreError.damaged(failure: "other_vault")) {
                    _ = try vault.list()
                }
                #expect(throws: SecureStoreError.damaged(failure: "other_vault")) {
                    try TestVault.fillOne(vault, 7)
                }
            }
        }
    }

    @Test("a destroyed vault is refused when it comes back; a new one needs no word")
    func destroyed() throws {
        try withMachine { machine in
            try machine.copy("home", to: "kept")
            unsafe unlink(machine.path("home"))
            try machine.environment("home").rollbackRecords.retire()
            try machine.copy("kept", to: "home")
            #expect(throws: VaultError.otherVault(isDestroyed: true)) {
                try machine.use("home") { _ in }
            }
            unsafe unlink(machine.path("home"))
            try machine.create("home")
            try machine.use("home") { try TestVault.fillOne($0, 5) }
            try machine.copy("kept", to: "home")
            #expect(throws: VaultError.otherVault(isDestroyed: false)) {
                try machine.use("home") { _ in }
            }
            // At a place that the machine does not know, too.
            #expect(throws: VaultError.otherVault(isDestroyed: true)) {
                try machine.use("kept") { _ in }
            }
            #expect(try machine.use("kept", acceptsOther: true) { try $0.list().count } == 2)
            #expect(try machine.use("kept") { try $0.list().count } == 2)
        }
    }

    @Test("a vault that was destroyed unseen is refused when it comes back")
    func destroyedUnseen() throws {
        try withMachine { machine in
            try machine.copy("home", to: "unseen")
            try machine.environment("unseen").rollbackRecords.retire()
            #expect(throws: VaultError.otherVault(isDestroyed: true)) {
                try machine.use("unseen") { _ in }
            }
        }
    }

    @Test("a new vault is not created over the record of one that is only missing")
    func missing() throws {
        try withMachine { machine in
            #expect(throws: VaultError.storage(.alreadyExists)) { try machine.create("home") }
            unsafe unlink(machine.path("home"))
            #expect(throws: VaultError.otherVault(isDestroyed: false)) {
                try machine.create("home")
            }
            #expect(!FileManager.default.fileExists(atPath: machine.path("home")))
            _ = try VaultFile.create(
                at: machine.path("home"), machine.environment("home", acceptsOther: true),
                passphrase: TestVault.passphrase(), cost: TestVault.cost)
            #expect(try machine.use("home") { try $0.list().isEmpty })
        }
    }

    @Test("a new vault is not created over a damaged record")
    func missingAndDamaged() throws {
        try withMachine { machine in
            unsafe unlink(machine.path("home"))
            for name in try FileManager.default.contentsOfDirectory(atPath: machine.records) {
                try TestFile.write([1], to: machine.records + "/" + name)
            }
            #expect(throws: VaultError.damaged(.rollbackRecordDamaged)) {
                try machine.create("home")
            }
            #expect(!FileManager.default.fileExists(atPath: machine.path("home")))
        }
    }

    @Test("an older copy is refused elsewhere, and does not disturb the real vault")
    func copyElsewhere() throws {
        try withMachine { machine in
            try machine.copy("home", to: "look")
            try machine.use("home") { try TestVault.fillOne($0, 5) }
            #expect(throws: VaultError.rolledBack(found: 3, seen: 4)) {
                try machine.use("look") { _ in }
            }
            try machine.use("look", acceptsOlder: true) { vault in
                for index in 6..<10 { try TestVault.fillOne(vault, index) }
            }
            // The copy goes its own way: neither disturbs the other.
            #expect(try machine.use("home") { try $0.list().count } == 3)
            #expect(try machine.use("look") { try $0.list().count } == 6)
            // Put back over the real one, it is a fork.
            try machine.copy("look", to: "home")
            #expect(throws: VaultError.forked(seen: 4, found: 7)) {
                try machine.use("home") { _ in }
            }
        }
    }

    @Test("a fork is refused at a place without a record")
    func forkElsewhere() throws {
        try withMachine { machine in
            try machine.copy("home", to: "fork")
            try machine.use("home") { try TestVault.fillOne($0, 5) }
            let quiet = TestVault.environment()
            let vault = try VaultFile.open(at: machine.path("fork"), quiet)
                .unlock(with: TestVault.secret())
            for index in 6..<8 { try TestVault.fillOne(vault, index) }
            vault.lock()
            #expect(throws: VaultError.forked(seen: 4, found: 5)) {
                try machine.use("fork") { _ in }
            }
        }
    }

    @Test("a restore elsewhere, to look, does not disturb the real vault")
    func restoreElsewhere() throws {
        try withMachine { machine in
            try machine.copy("home", to: "backup")
            try machine.use("home") { try TestVault.fillOne($0, 5) }
            try VaultLocation.prepareFolder(at: machine.folder + "/look")
            _ = try TestBackup.install(
                machine.path("backup"), at: machine.path("look"), with: TestVault.secret(),
                replacing: false, machine.environment("look"))
            #expect(try machine.use("look") { try $0.list().count } == 2)
            #expect(try machine.use("home") { try $0.list().count } == 3)
        }
    }

    @Test("a vault restored over another one is the one of its place")
    func restoredOver() throws {
        try withMachine { machine in
            try machine.create("other")
            _ = try TestBackup.install(
                machine.path("home"), at: machine.path("other"), with: TestVault.secret(),
                replacing: true, machine.environment("other"))
            #expect(try machine.use("other") { try $0.list().count } == 2)
        }
    }

    @Test("a place is the same by any path to it")
    func names() throws {
        try withMachine { machine in
            let link = machine.folder + "/link"
            unsafe symlink(machine.folder + "/home", link)
            let count = try FileManager.default.contentsOfDirectory(atPath: machine.records).count
            let environment = TestVault.environment(
                rollbackRecords: FileRollbackRecords(
                    folder: machine.records, place: link + "/../home/vault.db")
            )
            #expect(
                try environment.rollbackRecords.read()
                    == machine.environment("home").rollbackRecords.read())
            _ = try VaultFile.open(at: link + "/vault.db", environment)
                .unlock(with: TestVault.secret())
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: machine.records).count == count)
        }
    }

    #if os(Linux)
        @Test(
            "a second path by a bind mount is a place of its own: what was seen at each is required there",
            .endsProcess,
            .enabled(if: PrivateMounts.arePossible, "not run: only the administrator may mount"))
        func bindMount() async {
            await #expect(processExitsWith: .success) {
                try withTemporaryFolder { folder in
                    let machine = Machine(folder: folder)
                    try machine.create("home")
                    try machine.use("home") { try TestVault.fill($0, count: 2) }
                    try machine.copy("home", to: "older")
                    try machine.use("home") { try TestVault.fillOne($0, 5) }
                    try PrivateMounts.begin()
                    try VaultLocation.prepareFolder(at: folder + "/mount")
                    try SystemTool.run(
                        "/usr/bin/mount", "--bind", folder + "/home", folder + "/mount")
                    defer { try? SystemTool.run("/usr/bin/umount", folder + "/mount") }
                    func put(_ home: String) throws {
                        let bytes = try TestFile.read(machine.path(home))
                        try TestFile.write(bytes, to: machine.path("home"))
                    }
                    // At the first look there, every record of the machine counts.
                    try machine.copy("home", to: "newest")
                    try put("older")
                    #expect(throws: VaultError.rolledBack(found: 3, seen: 4)) {
                        try machine.use("mount") { _ in }
                    }
                    try put("newest")
                    #expect(try machine.use("mount") { try $0.list().count } == 3)
                    // One vault: what is written at one place is read at the other.
                    try machine.use("mount") { try TestVault.fillOne($0, 6) }
                    #expect(try machine.use("home") { try $0.list().count } == 4)
                    for (state, found) in [("older", UInt64(3)), ("newest", 4)] {
                        try put(state)
                        for place in ["home", "mount"] {
                            #expect(throws: VaultError.rolledBack(found: found, seen: 5)) {
                                try machine.use(place) { _ in }
                            }
                        }
                    }
                }
            }
        }
    #endif
}
