import Accounts
@testable import AuthServer
import CommandLine
import Foundation
import Platform
import Testing
import TestSupport
import TextCoding

/// The sources of settings: file, environment and command line.
@Suite(.waitsForProcesses) struct ConfigurationTests: SettingReading {
    static let hash = String(repeating: "0a", count: 32)

    @Test func theCommandLineHasPriorityOverEnvironmentFileAndDefault() throws {
        let name = ServerSettings.waiting
        let file = "\n# how many\n waiting =\t7 \r\n"
        let variable = ["TASKVAULT_AUTHD_WAITING": "8"]
        #expect(try sources().given(name)?.origin == .standard)
        #expect(try sources().value(ServerSettings.waiting) == 16)
        let ofFile = try sources(file: file)
        #expect(ofFile.value(ServerSettings.waiting) == 7)
        guard case .file(let path, let line) = ofFile.given(name)?.origin else {
            Issue.record("not from the file")
            return
        }
        #expect(path.hasSuffix("/test.conf"))
        #expect(line == 3)
        #expect(try sources(file: file, variable).value(ServerSettings.waiting) == 8)
        #expect(try sources(file: file, variable).given(name)?.origin == .variable)
        let ofOption = try sources(["--waiting", "9"], file: file, variable)
        #expect(ofOption.value(ServerSettings.waiting) == 9)
        #expect(ofOption.given(name)?.origin == .option)
    }

    @Test func flagsAreRead() throws {
        #expect(try sources().value(ServerSettings.plainHTTP) == false)
        #expect(try sources(["--allow-plain-http"]).value(ServerSettings.plainHTTP) == true)
        #expect(
            try sources(file: "allow-plain-http = yes\n").value(ServerSettings.plainHTTP) == true)
        #expect(
            try sources([], ["TASKVAULT_AUTHD_ALLOW_PLAIN_HTTP": "no"])
                .value(ServerSettings.plainHTTP) == false)
    }

    @Test(
        arguments: [
            ("liste = 1", 1, "unknown setting 'liste'", "did you mean 'listen'?"),
            ("\nwaiting = 1\n# x\nwaiting = 1", 4, "waiting is already set in line 2", nil),
            ("waiting", 1, "expected 'name = value'", nil),
            ("waiting: 1", 1, "expected 'name = value'", nil),
            (
                "\n\nwaiting = zero", 3,
                "waiting takes a number from 1 to 100000, or 0 for no limit", nil
            ),
            ("waiting =", 1, "waiting takes a number from 1 to 100000, or 0 for no limit", nil),
            ("Waiting = 1", 1, "unknown setting 'Waiting'", "did you mean 'waiting'?"),
            (
                "database = postgresql://a:hunter2@b/c", 1,
                "database cannot be used: a password in the address would be visible",
                "write a line host:port:database:user:password into ~/.pgpass instead"
            ),
            ("client a b = \(hash)", 1, "the name of a client is 1 to 64 letters", nil),
            ("client  = \(hash)", 1, "unknown setting 'client'", nil),
            ("client taskvault = \(hash)", 1, "client taskvault already exists", nil),
            ("client a = \(hash)\nclient a = \(hash)", 2, "client a already exists", nil),
            (
                "client a = 0a", 1, "the hash of a client's secret is 64",
                "taskvault-authd client add a"
            ),
            ("client a = hunter2", 1, "the hash of a client's secret is 64", nil),
            ("configuration = x", 1, "unknown setting 'configuration'", nil),
        ] as [(String, Int, String, String?)])
    func aWrongLineIsNamed(text: String, line: Int, message: String, hint: String?) throws {
        let failure = try #require(failure { _ = try sources(file: text) })
        #expect(failure.exitCode == .usage)
        #expect(failure.message.contains("/test.conf:\(line): \(message)"), "\(failure.message)")
        #expect(!failure.message.contains("hunter2"))
        if let hint { #expect(failure.hint?.hasPrefix(hint) == true, "\(failure.hint ?? "")") }
    }

    @Test func anOverriddenValueIsCheckedToo() throws {
        let failure = try #require(
            failure { _ = try sources(["--waiting", "1"], file: "waiting = x\n") })
        #expect(failure.message.contains("test.conf:1: waiting takes"))
    }

    @Test(
        arguments: [
            (
                "TASKVAULT_AUTHD_WAITING", "x",
                "environment variable TASKVAULT_AUTHD_WAITING takes a number", nil
            ),
            (
                "TASKVAULT_AUTHD_WAITIN", "1",
                "unknown environment variable TASKVAULT_AUTHD_WAITIN",
                "did you mean TASKVAULT_AUTHD_WAITING?"
            ),
            ("TASKVAULT_AUTHD_", "", "unknown environment variable TASKVAULT_AUTHD_", nil),
            (
                "TASKVAULT_AUTHD_CLIENT", "a",
                "unknown environment variable TASKVAULT_AUTHD_CLIENT",
                nil
            ),
        ] as [(String, String, String, String?)])
    func aWrongVariableIsNamed(
        name: String, value: String, message: String, hint: String?
    ) throws {
        let failure = try #require(failure { _ = try sources([], [name: value]) })
        #expect(failure.exitCode == .usage)
        #expect(failure.message.hasPrefix(message))
        if let hint { #expect(failure.hint == hint) }
    }

    @Test func emptyVariablesAreNotSet() throws {
        #expect(
            try sources([], ["TASKVAULT_AUTHD_WAITING": ""]).value(ServerSettings.waiting) == 16)
    }

    @Test func onlyTheDefaultFileCanBeMissing() throws {
        #expect(try sources().file == nil)
        let failure = try #require(
            failure { _ = try sources(["--configuration", "/nowhere/x.conf"]) })
        #expect(failure.exitCode == .notFound)
        #expect(failure.message == "the configuration file /nowhere/x.conf does not exist")
        #expect(
            self.failure {
                _ = try sources([], ["TASKVAULT_AUTHD_CONFIGURATION": "/nowhere/x.conf"])
            } == failure)
    }

    @Test(
        arguments: [
            ("", 0o622, "other users can write it"), ("", 0o606, "other users can write it"),
            ("client a = \(hash)", 0o604, "all users can read"),
            (String(repeating: "#", count: 1_048_577), 0o600, "it is larger than 1048576 bytes"),
        ].map { (LargeArgument($0), $1, $2) })
    func anUnsafeFileIsRefused(
        text: LargeArgument<String>, mode: Int, message: String
    ) throws {
        let failure = try #require(failure { _ = try sources(file: text.value, mode: mode) })
        #expect(failure.exitCode == .refused)
        #expect(failure.message.contains(message))
    }

    @Test func aFileWithoutClientsCanBeReadable() throws {
        #expect(try sources(file: "waiting = 3\n", mode: 0o644).value(ServerSettings.waiting) == 3)
        // The group of a service may read its clients.
        let clients = try sources(file: "client a.b-c_1 = \(Self.hash)\n", mode: 0o640).clients
        #expect(clients.map(\.name) == ["a.b-c_1"])
        #expect(clients.first?.secret?.bytes == [UInt8](repeating: 10, count: 32))
    }

    @Test func aByteOrderMarkIsIgnored() throws {
        #expect(try sources(file: "\u{FEFF}waiting = 3\n").value(ServerSettings.waiting) == 3)
        // Elsewhere it is part of an unknown name.
        #expect(failure { _ = try sources(file: "\n\u{FEFF}waiting = 3\n") } != nil)
        #expect(failure { _ = try sources(file: "\u{FEFF}\u{FEFF}waiting = 3\n") } != nil)
    }

    @Test func aFileIsText() throws {
        let home = try ServerHome()
        let path = home.folder + "/bytes.conf"
        try Data([0x23, 0xFF, 0x0A]).write(to: URL(fileURLWithPath: path))
        let failure = try #require(failure { _ = try sources(["--configuration", path]) })
        #expect(failure.message.hasSuffix("it is not UTF-8"))
        let ofFolder = try #require(
            self.failure { _ = try sources(["--configuration", home.folder]) })
        #expect(ofFolder.message.hasSuffix("it is not a file"))
    }

    @Test func defaultFoldersDependOnTheUser() {
        let environment = EnvironmentVariables(["HOME": "/h", "XDG_DATA_HOME": "/d"])
        let ofRoot = ServerFolders(environment, isAdministrator: true)
        #expect(ofRoot.database == "/var/lib/taskvault-authd/accounts.db")
        #expect(ofRoot.configuration == "/etc/taskvault-authd.conf")
        let ofPerson = ServerFolders(environment, isAdministrator: false)
        #expect(ofPerson.database == "/d/taskvault-authd/accounts.db")
        #expect(ofPerson.configuration == "/h/.config/taskvault-authd.conf")
    }
}
