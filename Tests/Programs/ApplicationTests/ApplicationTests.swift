import Application
import Platform
import Sealing
import SecretMemory
import SecureStorage
import Tasks
import TestSupport
import Testing
import TextCoding
import VaultCore

/// Operations without a command line: on a home folder, with an owner that the test is.
@Suite struct ApplicationTests {
    private static let passphrase = "four words rarely mixed"

    private func application(
        in folder: String, _ owner: any Owner, usesAgent: Bool = false
    ) throws -> Application {
        let environment = EnvironmentVariables(["HOME": folder])
        var options = ApplicationOptions(environment, home: folder + "/home")
        options.usesAgent = usesAgent
        return try Application(options, owner)
    }

    /// Runs `body` with the folder of a new vault.
    private func withVault(_ body: (String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let owner = TestOwner(Self.passphrase)
            let application = try application(in: folder, owner)
            let passphrase = try NewPassphrase.ask(owner.passphrases(), owner)
            _ = try NewVaultPlace(application).create(
                passphrase, cost: KeyDerivationCost(passes: 2, memoryKiB: 19 * 1_024))
            try body(folder)
        }
    }

    private func failure(
        _ application: Application, _ body: () throws -> Void
    ) -> Failure? {
        do {
            try body()
            return nil
        } catch {
            return application.errors.failure(error)
        }
    }

    @Test func aSecretIsSavedAndRead() throws {
        try withVault { folder in
            let name = try SecretName(service: "mail.example", account: "ada")
            let saving = try application(in: folder, TestOwner(Self.passphrase))
            try saving.vault.withStore(.changing) { store in
                _ = try store.secrets.save(
                    SecretBytes(copying: unsafe "value".utf8Span.span.bytes), as: name,
                    SecretAttributes())
            }
            let reading = try application(in: folder, TestOwner(Self.passphrase))
            let text = try reading.vault.withStore(.reading) { store in
                try store.secrets.value(of: name).withBytes { $0.text() }
            }
            #expect(text == "value")
            let found = try application(in: folder, TestOwner(Self.passphrase))
            let entry = try found.vault.withStore(.reading) { store in
                try found.entry(of: "mail.example", in: store.secrets)
            }
            #expect(entry.name == name)
        }
    }

    @Test func aPartOfANameFindsASecretOnlyIfAPersonSeesIt() throws {
        try withVault { folder in
            let name = try SecretName(service: "mail.example", account: "ada")
            let saving = try application(in: folder, TestOwner(Self.passphrase))
            try saving.vault.withStore(.changing) { store in
                _ = try store.secrets.save(
                    SecretBytes(copying: unsafe "value".utf8Span.span.bytes), as: name,
                    SecretAttributes())
            }
            for isSeen in [true, false] {
                let owner = TestOwner(Self.passphrase, isPerson: isSeen)
                owner.seesResults = isSeen
                let finding = try application(in: folder, owner)
                let failure = failure(finding) {
                    try finding.vault.withStore(.reading) { store in
                        let entry = try finding.entry(of: "mail", in: store.secrets)
                        #expect(entry.name == name)
                    }
                }
                #expect(failure?.exitCode == (isSeen ? nil : .notFound))
            }
        }
    }

    @Test func aWrongPassphraseIsAFailureOfItsOwn() throws {
        try withVault { folder in
            let application = try application(in: folder, TestOwner("another passphrase"))
            let failure = failure(application) {
                try application.vault.withStore(.reading) { _ in _ = Issue.record("it opened") }
            }
            #expect(failure?.exitCode == .wrongPassphrase)
            #expect(failure?.message == "wrong passphrase")
            #expect(
                failure?.hint == "if you forgot it: taskvault passphrase change --recovery --home "
                    + ShellText.quote(folder + "/home"))
        }
    }

    @Test func aPersonCanTryAgain() throws {
        try withVault { folder in
            let owner = TestOwner("wrong one", Self.passphrase, isPerson: true)
            let application = try application(in: folder, owner)
            let items = try application.vault.withStore(.reading) { try $0.secrets.list() }
            #expect(items.isEmpty)
            #expect(owner.said == ["taskvault: error: wrong passphrase"])
        }
    }

    @Test func withoutAnAgentAndAnOwnerTheVaultIsLocked() throws {
        try withVault { folder in
            let application = try application(in: folder, AbsentOwner(), usesAgent: true)
            let failure = failure(application) {
                try application.vault.withStore(.reading) { _ in _ = Issue.record("it opened") }
            }
            #expect(failure?.exitCode == .locked)
            let unattended = try self.application(in: folder, AbsentOwner())
            let refusal = self.failure(unattended) {
                try unattended.vault.withStore(.reading) { _ in _ = Issue.record("it opened") }
            }
            #expect(refusal?.code == "no_terminal")
        }
    }

    @Test func aWeakPassphraseIsWarnedOfAndAShortOneRefused() throws {
        let weak = TestOwner("abcd")
        _ = try NewPassphrase.ask(weak, weak)
        #expect(weak.warnings == ["weak_passphrase"])
        let short = TestOwner("abc")
        let refusal = #expect(throws: Failure.self) { _ = try NewPassphrase.ask(short, short) }
        #expect(refusal?.code == "passphrase_too_short")
    }

    @Test func aTaskNeedsNoVault() throws {
        try withTemporaryFolder { folder in
            let application = try application(in: folder, AbsentOwner())
            try application.tasks.withTasks(.changing) { tasks in
                _ = try tasks.list.add(
                    TodoTask(
                        id: TaskID(), content: .plain(TaskText(name: "paint")),
                        created: tasks.now))
            }
            let names = try self.application(in: folder, AbsentOwner()).tasks.withTasks(.reading) {
                try $0.list.find(TaskSelection(limit: 10)).tasks.map(\.task.plainText?.name)
            }
            #expect(names == ["paint"])
        }
    }

    @Test func settingsAreChangedInTheFileAndInTheVault() throws {
        try withVault { folder in
            let owner = TestOwner(Self.passphrase, Self.passphrase)
            let application = try application(in: folder, owner)
            let snooze = try #require(StoredSetting.named("snooze"))
            let limit = try #require(StoredSetting.named("idle-limit"))
            #expect(try application.settings.set(snooze, to: "20m") == ["snooze": "20m"])
            #expect(try application.settings.set(limit, to: "5m")["idle-limit"] == "5m")
            let later = try self.application(in: folder, TestOwner(Self.passphrase))
            #expect(try later.settings.value(of: snooze) == "20m")
            #expect(try later.settings.value(of: limit) == "5m")
            let refusal = failure(later) { _ = try later.settings.set(snooze, to: "soon") }
            #expect(refusal?.exitCode == .usage)
        }
    }

    @Test func emptyVariablesAreNotSet() throws {
        let folders = try VaultFolders(
            home: nil,
            EnvironmentVariables(["TASKVAULT_HOME": "", "HOME": "/h", "XDG_DATA_HOME": ""]))
        #expect(folders.file == "/h/.local/share/taskvault/vault.db")
        #expect(folders.rollbackRecords == "/h/.local/state/taskvault/rollback")
    }
}
