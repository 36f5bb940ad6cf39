@testable import Application
import CommandLine
import Inbox
import SignIn
@testable import TaskVaultCommands
import Testing
import TestSupport
import TextCoding
import VaultCore

@Suite struct CommandLineTableTests {
    private let table = CommandTable.taskvault

    @Test(arguments: [
        "init", "secret set", "secret get", "secret update", "secret remove", "secret list",
        "secret edit", "secret show", "secret generate", "secret export", "secret import",
        "passphrase change", "recovery show-new", "recovery revoke", "rekey", "doctor", "backup",
        "restore", "destroy", "completions", "version", "help", "file add", "file list",
        "file show",
        "file get", "file rename", "file replace", "file remove", "file restore", "file verify",
        "inbox enable", "inbox disable", "inbox status", "inbox address", "inbox senders",
        "inbox revoke", "inbox list", "inbox show", "inbox accept", "inbox decline",
        "inbox remove", "inbox clear", "inbox receive", "inbox send", "inbox picture",
        "checklist list", "checklist show", "checklist save", "checklist remove",
        "checklist start",
    ])
    func aPromisedCommandIsThere(name: String) {
        #expect(table.command(name.split(separator: " ").map(String.init))?.name == name)
    }

    @Test(arguments: StoredSetting.all.map(\.name))
    func aDefaultIsThatOfANewVault(name: String) throws {
        let setting = try #require(StoredSetting.named(name))
        switch setting.storage {
        case .vaultState(let row):
            #expect(try setting.canonical(setting.standard) == setting.standard)
            #expect(row.value(setting.standard) == VaultSettings.standard[row])
        case .signInItem(let get, _): #expect(get(SignInSettings()) == setting.standard)
        case .fileItem(let get, let set):
            var settings = FileSettings()
            #expect(get(settings) == setting.standard)
            set("no", &settings)
            #expect(settings.showsSizes == (name != "file-sizes"))
        case .inboxItem(let get, let set):
            var settings = InboxSettings()
            #expect(get(settings) == setting.standard)
            set(name == "allow-saving" ? "no" : "always", &settings)
            #expect(settings.allowsSaving == (name != "allow-saving"))
            #expect(settings.loadsPictures == (name == "inbox-pictures"))
        case .file, .machineFile:
            #expect(try setting.canonical(setting.standard) == setting.standard)
        }
    }

    @Test func theTableKeepsTheContract() throws {
        try CommandTableContract(table).check()
    }

    @Test(
        arguments: [
            (.done, 0), (.failure, 1), (.usage, 2), (.locked, 3), (.wrongPassphrase, 4),
            (.notFound, 5), (.alreadyExists, 6), (.damaged, 7), (.refused, 8),
            (.serverUnreachable, 9), (.serverRejected, 10), (.cannotRun, 126), (.noProgram, 127),
            (.interrupted, 130),
        ] as [(ExitCode, Int32)])
    func exitCodesAreAPromise(code: ExitCode, number: Int32) {
        #expect(code.rawValue == number)
        #expect(table.exitCodes.count == 14)
        #expect(ExitCode(known: number) == code)
    }
}
