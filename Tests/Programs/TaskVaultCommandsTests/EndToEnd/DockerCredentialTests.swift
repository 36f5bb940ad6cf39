import Foundation
import Platform
import Testing
import TestSupport

/// The credential store, called as docker calls it.
@Suite(.waitsForProcesses) struct DockerCredentialTests {
    private let home: TestHome

    init() throws {
        home = try TestHome()
        home.program = home.folder + "/docker-credential-taskvault"
        try FileManager.default.createSymbolicLink(
            atPath: home.program, withDestinationPath: Executable.path)
    }

    private func docker(_ action: String, _ input: String = "") throws -> RunResult {
        try home.runBare(
            ["--no-agent", "--passphrase-file", home.passphraseFile, action],
            input: Array(input.utf8), beneath: ["/usr/bin/env"])
    }

    private let server = "https://index.docker.io/v1/"

    private func store(_ user: String, _ secret: String, at server: String) throws {
        let login = ["ServerURL": server, "Username": user, "Secret": secret]
        let input = String(
            decoding: try JSONSerialization.data(withJSONObject: login), as: UTF8.self)
        let stored = try docker("store", input)
        expect(stored, ends: 0)
        #expect(stored.output.isEmpty)
    }

    @Test(arguments: ["sesame", "", "a\"b\\c\n\u{7F}é\u{1F600}\u{1}"])
    func aLoginIsKeptAndForgotten(secret: String) throws {
        try store("ada", secret, at: server)
        let found = try docker("get", server + "\n")
        expect(found, ends: 0)
        #expect(
            found.object as? [String: String]
                == ["ServerURL": server, "Username": "ada", "Secret": secret])
        expect(try docker("erase", server), ends: 0)
        #expect(try docker("get", server).exitCode == 1)
        // As of a server that docker never knew.
        expect(try docker("erase", server), ends: 0)
    }

    @Test func dockerKnowsTheErrorsByTheirTexts() throws {
        let missing = try docker("get", "ghcr.io")
        #expect(missing.exitCode == 1)
        #expect(missing.outputText == "credentials not found in native keychain\n")
        #expect(missing.errors.isEmpty)
        for action in ["get", "erase"] {
            let nameless = try docker(action, " \n")
            #expect(nameless.exitCode == 1)
            #expect(nameless.outputText == "no credentials server URL\n")
        }
        #expect(
            try docker("store", #"{"ServerURL":"","Username":"a","Secret":"b"}"#).outputText
                == "no credentials server URL\n")
        #expect(
            try docker("store", #"{"ServerURL":"a","Username":"","Secret":"b"}"#).outputText
                == "no credentials username\n")
    }

    @Test func aServerIsMatchedByteByByte() throws {
        try store("ada", "one", at: "https://ghcr.io")
        for other in ["http://ghcr.io", "ghcr.io", "https://ghcr.io:443", "https://GHCR.io"] {
            #expect(try docker("get", other).exitCode == 1)
        }
        #expect(try docker("get", "https://ghcr.io").object["Secret"] as? String == "one")
    }

    @Test func aServerHasOneUser() throws {
        try store("ada", "one", at: server)
        try store("eve", "two", at: server)
        #expect(try docker("get", server).object["Username"] as? String == "eve")
        #expect(try home.run("secret get docker:\(server) ada").exitCode == 5)
        try store("bob", "three", at: "ghcr.io")
        let expected = [server: "eve", "ghcr.io": "bob"]
        #expect(try docker("list").object as? [String: String] == expected)
    }

    @Test func itsVersionNeedsNoVault() throws {
        unsafe unlink(home.vault)
        let version = try home.runBare(["version"], beneath: ["/usr/bin/env"])
        expect(version, ends: 0)
        let parts = version.outputLines.first?.split(separator: " ") ?? []
        #expect(parts.dropLast() == ["docker-credential-taskvault", "(taskvault)"])
        let numbers = parts.last?.dropFirst().split(separator: ".") ?? []
        #expect(parts.last?.first == "v" && numbers.count == 3)
        #expect(numbers.allSatisfy { Int($0) != nil })
    }

    @Test func deniedItHasNoCredentials() throws {
        try store("ada", "one", at: server)
        home.program = Executable.path
        expect(try home.runBare(["settings", "set", "services-docker", "off"]), ends: 0)
        home.program = home.folder + "/docker-credential-taskvault"
        let denied = try docker("get", server)
        #expect(denied.exitCode == 1)
        #expect(denied.outputText == "credentials not found in native keychain\n")
        #expect(try docker("list").outputText == "{}\n")
        expect(try docker("erase", server), ends: 0)
        let login = #"{"ServerURL":"a","Username":"b","Secret":"c"}"#
        expect(
            try docker("store", login), ends: 8, "error: the setting services-docker is off",
            "hint: taskvault settings set services-docker on")
        home.program = Executable.path
        expect(try home.runBare(["settings", "set", "services-docker", "on"]), ends: 0)
        home.program = home.folder + "/docker-credential-taskvault"
        #expect(try docker("get", server).object["Secret"] as? String == "one")
    }

    @Test func secretsOfGitAndTheOwnerAreNotListed() throws {
        home.program = Executable.path
        try home.save("x", "docker-hub", "ada")
        try home.save("x", "a docker:b", "ada")
        home.program = home.folder + "/docker-credential-taskvault"
        #expect(try docker("list").outputText == "{}\n")
    }

    @Test func anEqualLoginWritesNothing() throws {
        // With the revision and the time of the last change.
        func list() throws -> String {
            home.program = Executable.path
            defer { home.program = home.folder + "/docker-credential-taskvault" }
            return try home.run("secret list --json").outputText
        }
        try store("ada", "one", at: server)
        let before = try list()
        #expect(before.contains(server))
        try store("ada", "one", at: server)
        #expect(try list() == before)
    }

    @Test func lockedAndMalformedAreToldDocker() throws {
        let locked = try home.runBare(
            ["get"], input: Array(server.utf8), beneath: ["/usr/bin/env"])
        #expect(locked.exitCode == 3)
        #expect(locked.outputText == "the vault is locked\n")
        #expect(locked.errorLines.first == "taskvault: error: the vault is locked")
        for input in ["", "[]", #"{"ServerURL":1}"#, #"{"Secret":"a","Secret":"b"}"#, "{} x"] {
            let refused = try docker("store", input)
            #expect(refused.exitCode == 2)
            #expect(refused.outputText == "the input is not the JSON object of docker\n")
        }
        #expect(
            try docker("get", "a\nb").outputText
                == "the input has a CR, LF or NUL byte in a value\n")
        #expect(try docker("login").exitCode == 2)
    }
}
