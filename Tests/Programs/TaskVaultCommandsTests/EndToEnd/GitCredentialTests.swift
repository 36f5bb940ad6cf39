import Foundation
import Platform
import Testing
import TestSupport

/// The credential helper, called as git calls it.
@Suite(.waitsForProcesses) struct GitCredentialTests {
    private let home: TestHome

    init() throws {
        home = try TestHome()
        let folder = home.folder + "/bin"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/git-credential-taskvault", withDestinationPath: Executable.path)
        try Files.write(
            "#!/bin/sh\necho asked >&2\necho by-hand\n", to: folder + "/askpass", mode: 0o700)
        home.environment["PATH"] = folder + ":/usr/bin:/bin"
        home.environment["GIT_ASKPASS"] = folder + "/askpass"
        home.environment["GIT_CONFIG_NOSYSTEM"] = "1"
    }

    private func unlock() throws {
        expect(
            try home.runBare(["unlock", "--json", "--passphrase-file", home.passphraseFile]),
            ends: 0)
    }

    /// Calls the helper by its link, without an agent.
    private func helper(_ operation: String, _ lines: String...) throws -> RunResult {
        let input = lines.map { $0 + "\n" }.joined()
        home.program = home.folder + "/bin/git-credential-taskvault"
        defer { home.program = Executable.path }
        return try home.runBare(
            ["--no-agent", "--passphrase-file", home.passphraseFile, operation],
            input: Array(input.utf8), beneath: ["/usr/bin/env"])
    }

    private static let hasGit = Files.exists("/usr/bin/git")

    /// Calls git's own program for credentials.
    private func git(_ operation: String, _ lines: String...) throws -> RunResult {
        let input = lines.map { $0 + "\n" }.joined()
        home.program = "/usr/bin/git"
        defer { home.program = Executable.path }
        return try home.runBare(
            ["-c", "credential.helper=taskvault", "credential", operation],
            input: Array(input.utf8), beneath: ["/usr/bin/env"])
    }

    private let place = ["protocol=https", "host=git.example:8443"]

    private func store(_ user: String, _ password: String) throws {
        let stored = try helper(
            "store", place[0], place[1], "username=\(user)", "password=\(password)")
        expect(stored, ends: 0)
        #expect(stored.output.isEmpty)
    }

    private func get(_ lines: String...) throws -> [String] {
        let found = try helper("get", lines.joined(separator: "\n"))
        expect(found, ends: 0)
        return found.outputLines
    }

    @Test(.enabled(if: hasGit, "git is not installed"))
    func gitKeepsAndForgetsPasswordsThroughTheAgent() throws {
        try unlock()
        let login = place + ["username=ada", "password=sesame"]
        expect(try git("approve", login.joined(separator: "\n")), ends: 0)
        let filled = try git("fill", place[0], place[1])
        expect(filled, ends: 0)
        #expect(filled.outputLines == login)
        // Another password was typed meanwhile.
        _ = try git("reject", place[0], place[1], "username=ada", "password=other")
        #expect(try git("fill", place[0], place[1]).outputLines == login)
        _ = try git("reject", login.joined(separator: "\n"))
        let asked = try git("fill", place[0], place[1])
        #expect(asked.outputLines.contains("password=by-hand"))
        #expect(asked.errorText.contains("asked"))
    }

    @Test(.enabled(if: hasGit, "git is not installed"))
    func gitAsksIfTheVaultIsLocked() throws {
        let asked = try git("fill", place[0], place[1])
        #expect(asked.exitCode == 0)
        #expect(asked.outputLines.contains("password=by-hand"))
        #expect(asked.errorLines.contains("taskvault: error: the vault is locked"))
        #expect(try git("approve", place[0], place[1], "username=a", "password=b").exitCode == 0)
    }

    @Test func protocolHostPortAndUserMatch() throws {
        try store("ada", "sesame")
        #expect(try get(place[0], place[1]) == ["username=ada", "password=sesame"])
        #expect(try get(place[0], place[1], "username=ada").count == 2)
        #expect(try get(place[0], place[1], "username=eve").isEmpty)
        #expect(try get("protocol=http", place[1]).isEmpty)
        #expect(try get(place[0], "host=git.example").isEmpty)
        #expect(try get(place[0], "host=git.example:844").isEmpty)
        #expect(try get(place[0], "host=other.example:8443").isEmpty)
        #expect(try get(place[0]).isEmpty)
    }

    @Test func aPathIsPartOfTheKeyIfGitNamesOne() throws {
        expect(
            try helper(
                "store", place[0], place[1], "path=a b/c.git", "username=ada", "password=one"),
            ends: 0)
        #expect(try get(place[0], place[1], "path=a b/c.git") == ["username=ada", "password=one"])
        #expect(try get(place[0], place[1], "path=a b/d.git").isEmpty)
        #expect(try get(place[0], place[1]).last == "password=one")
        let name = "git:https://git.example:8443/a%20b/c.git"
        #expect(try home.value(name) == "one")
        // What was stored without a path is for each path only by git's own setting.
        #expect(try get(place[0], "host=git.example:84").isEmpty)
    }

    @Test func severalUsersAndNone() throws {
        try store("ada", "one")
        try store("%25", "two")
        try store("", "")
        #expect(try get(place[0], place[1], "username=ada").last == "password=one")
        #expect(try get(place[0], place[1], "username=%25") == ["username=%25", "password=two"])
        #expect(try get(place[0], place[1], "username=") == ["username=", "password="])
        // The last one that was saved.
        #expect(try get(place[0], place[1]) == ["username=", "password="])
        expect(try helper("erase", place[0], place[1], "username=ada"), ends: 0)
        #expect(try get(place[0], place[1], "username=ada").isEmpty)
        expect(try helper("erase", place[0], place[1]), ends: 0)
        #expect(try get(place[0], place[1]).isEmpty)
    }

    @Test func anEqualPasswordWritesNothing() throws {
        try store("ada", "sesame")
        let name = "git:https://git.example:8443"
        func revision() throws -> Int? {
            try home.run("secret get \(name) ada --json").object["revision"] as? Int
        }
        let before = try revision()
        let bytes = try Files.read(home.vault)
        try store("ada", "sesame")
        #expect(try revision() == before)
        #expect(try Files.read(home.vault) == bytes)
        try store("ada", "another")
        #expect(try revision() != before)
        #expect(try get(place[0], place[1]).last == "password=another")
    }

    @Test func expiryAndRefreshTokenStay() throws {
        let more = ["password_expiry_utc=9999999999", "oauth_refresh_token=again"]
        expect(
            try helper(
                "store", place[0], place[1], "username=ada", "password=one",
                more.joined(separator: "\n")), ends: 0)
        #expect(try get(place[0], place[1]) == ["username=ada", "password=one"] + more)
        // An older git repeats only the password.
        try store("ada", "one")
        #expect(try get(place[0], place[1]) == ["username=ada", "password=one"] + more)
        try store("ada", "two")
        #expect(try get(place[0], place[1]) == ["username=ada", "password=two"])
    }

    @Test func credentialsOfOtherTypesGoToThoseWhoKnowThem() throws {
        let typed = ["authtype=Bearer", "credential=token"]
        let capabilities = ["capability[]=authtype", "capability[]=state"]
        expect(
            try helper(
                "store", capabilities[0], place[0], place[1], typed.joined(separator: "\n")),
            ends: 0)
        #expect(try get(place[0], place[1]).isEmpty)
        let found = try get(
            capabilities[0], capabilities[1], place[0], place[1], "wwwauth[]=Basic realm=\"x\"",
            "wwwauth[]=bearer realm=\"x\"")
        #expect(found == capabilities + typed + ["state[]=taskvault.revision=1"])
        #expect(try get(capabilities[0], place[0], place[1], "wwwauth[]=Basic").isEmpty)
        #expect(
            try helper("capability").outputLines == [
                "version 0", "capability authtype", "capability state",
            ])
        // What lives for one request only.
        expect(
            try helper(
                "store", capabilities[0], place[0], place[1], "authtype=Bearer",
                "credential=brief", "ephemeral=1"), ends: 0)
        #expect(try get(capabilities[0], place[0], place[1]).last == "credential=token")
    }

    @Test func anOlderAnswerErasesNothing() throws {
        try store("ada", "one")
        expect(
            try helper("erase", place[0], place[1], "state[]=taskvault.revision=9"), ends: 0)
        #expect(try get(place[0], place[1]).last == "password=one")
        expect(
            try helper("erase", place[0], place[1], "state[]=taskvault.revision=1"), ends: 0)
        #expect(try get(place[0], place[1]).isEmpty)
    }

    @Test(arguments: ["password=a\rb", "host=a\rb", "password=a\0b", "path=\0"])
    func brokenLinesAreRefused(line: String) throws {
        try store("ada", "one")
        for operation in ["get", "store", "erase"] {
            let refused = try helper(operation, place[0], place[1], line)
            expect(
                refused, ends: 8, "error: the input has a CR, LF or NUL byte in a value")
            #expect(refused.output.isEmpty)
        }
        #expect(try get(place[0], place[1]).last == "password=one")
    }

    @Test func aValueOfSeveralLinesIsNotGiven() throws {
        try store("ada", "one")
        try home.run(
            ["secret", "update", "git:https://git.example:8443", "ada"],
            input: Array("a\npath=b".utf8))
        let refused = try helper("get", place[0], place[1])
        #expect(refused.exitCode == 8)
        #expect(!refused.outputText.contains("path=b"))
    }

    @Test func deniedItGivesAndChangesNothing() throws {
        try store("ada", "one")
        expect(try home.runBare(["settings", "set", "services-git", "off"]), ends: 0)
        try store("ada", "two")
        expect(try helper("erase", place[0], place[1]), ends: 0)
        #expect(try get(place[0], place[1]).isEmpty)
        expect(try home.runBare(["settings", "set", "services-git", "on"]), ends: 0)
        #expect(try get(place[0], place[1]).last == "password=one")
    }

    @Test func otherInputIsExplained() throws {
        expect(
            try helper("get", "protocol"), ends: 2, "error: a line of the input is not KEY=VALUE")
        expect(try helper("later", place[0]), ends: 0)
        #expect(try helper("store", place[0], place[1], "username=ada").exitCode == 0)
        #expect(try get(place[0], place[1]).isEmpty)
    }
}
