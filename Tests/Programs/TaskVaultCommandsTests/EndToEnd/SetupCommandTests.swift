import Foundation
import Platform
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct SetupCommandTests {
    private let home: TestHome

    init() throws {
        home = try TestHome(withVault: false)
        home.environment["GIT_CONFIG_NOSYSTEM"] = "1"
        home.environment["TASKVAULT_HOME"] = nil
        home.environment["XDG_DATA_HOME"] = home.folder + "/data"
    }

    private func setUp(_ words: String) throws -> RunResult {
        try home.runBare(words.split(separator: " ").map(String.init))
    }

    private var link: String { home.folder + "/.local/bin/" }
    private var gitFile: String { home.folder + "/.gitconfig" }
    private var dockerFile: String { home.folder + "/.docker/config.json" }

    private func text(_ path: String) throws -> String {
        String(decoding: try Files.read(path), as: UTF8.self)
    }

    @Test func gitGetsTheHelperOnce() throws {
        try Files.write(
            "# mine\n[user]\n\tname = Ada\n[credential]\n\thelper = store\n", to: gitFile)
        let asked = try setUp("setup git")
        #expect(asked.exitCode == 2)
        #expect(asked.outputText.contains("credential.helper taskvault"))
        #expect(asked.errorText.contains("hint: give --yes to skip the question"))
        #expect(!Files.exists(link + "git-credential-taskvault"))
        #expect(try !text(gitFile).contains("taskvault"))

        let made = try setUp("setup git --yes")
        #expect(made.exitCode == 0)
        #expect(made.errorText.contains("git asks its helper 'store' first"))
        let after = try text(gitFile)
        #expect(after.contains("# mine"))
        #expect(after.contains("helper = store\n\thelper = taskvault\n"))
        let target = try FileManager.default.destinationOfSymbolicLink(
            atPath: link + "git-credential-taskvault")
        #expect(target.hasSuffix("/taskvault"))

        home.environment["PATH"] = link + ":/usr/bin:/bin"
        let again = try setUp("setup git --json")
        expect(again, ends: 0)
        #expect(again.outputText == "{\"changes\":[]}\n")
        #expect(try text(gitFile) == after)
    }

    @Test func anotherFolderIsPartOfTheHelper() throws {
        let other = home.folder + "/a b"
        let made = try home.runBare(["--home", other, "setup", "git", "--yes"])
        #expect(made.exitCode == 0)
        #expect(try text(gitFile).contains("helper = taskvault --home '\(other)'"))
        #expect(try home.runBare(["--home", other, "setup", "docker", "--yes"]).exitCode == 2)
    }

    @Test(
        arguments: [
            "{\n  \"auths\": {\"a\": {\"auth\": \"\\u0041\"}} , \"x\":1e400 }\n", "{}",
            "\u{FEFF}{ }",
        ])
    func dockerKeepsEveryOtherByte(content: String) throws {
        try FileManager.default.createDirectory(
            atPath: home.folder + "/.docker", withIntermediateDirectories: true)
        try Files.write(content, to: dockerFile, mode: 0o640)
        #expect(try setUp("setup docker").exitCode == 2)
        #expect(try text(dockerFile) == content)
        let made = try setUp("setup docker --yes")
        #expect(made.exitCode == 0)
        let after = try text(dockerFile)
        let member = "\n\t\"credsStore\": \"taskvault\""
        #expect(after.contains(member))
        #expect(
            after.replacing(member + ",", with: "").replacing(member, with: "") == content)
        #expect(Files.mode(dockerFile) == 0o640)
        #expect(Files.exists(link + "docker-credential-taskvault"))
        let again = try setUp("setup docker --json")
        #expect(again.object["changes"] as? [String] == [])
        #expect(try text(dockerFile) == after)
    }

    @Test func dockersOtherStoreIsReplaced() throws {
        let folder = home.folder + "/elsewhere"
        home.environment["DOCKER_CONFIG"] = folder
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let target = folder + "/config.json"
        try Files.write("{\"credsStore\" : \"desktop\", \"a\":[]}", to: target)
        let made = try setUp("setup docker --yes")
        #expect(made.exitCode == 0)
        #expect(made.outputText.contains("credsStore \"desktop\" becomes \"taskvault\""))
        #expect(try text(target) == "{\"credsStore\" : \"taskvault\", \"a\":[]}")
    }

    @Test func aMissingFileIsMadeAndABrokenOneIsNot() throws {
        #expect(try setUp("setup docker --yes").exitCode == 0)
        #expect(try text(dockerFile) == "{\n\t\"credsStore\": \"taskvault\"\n}\n")
        #expect(Files.mode(dockerFile) == 0o600)
        for content in ["[]", "{\"a\":}", "{} x"] {
            try Files.write(content, to: dockerFile)
            let refused = try setUp("setup docker --yes")
            #expect(refused.exitCode == 2)
            #expect(refused.errorText.contains("is not a JSON object: line 1"))
            #expect(try text(dockerFile) == content)
        }
    }

    @Test(arguments: ["", "\n", " \t\r\n"])
    func anEmptyFileIsAnEmptyObject(content: String) throws {
        try FileManager.default.createDirectory(
            atPath: home.folder + "/.docker", withIntermediateDirectories: true)
        try Files.write(content, to: dockerFile)
        #expect(try setUp("setup docker --yes").exitCode == 0)
        #expect(try text(dockerFile) == "{\n\t\"credsStore\": \"taskvault\"\n}\n")
    }

    @Test(arguments: ["pipe", "folder", "link", "link to nothing"])
    func whatIsNoFileIsNamedAndLeft(kind: String) throws {
        try FileManager.default.createDirectory(
            atPath: home.folder + "/.docker", withIntermediateDirectories: true)
        let target = home.folder + "/target"
        if kind == "link" { try Files.write("{}", to: target) }
        switch kind {
        case "pipe": #expect(unsafe mkfifo(dockerFile, 0o600) == 0)
        case "folder": #expect(unsafe mkdir(dockerFile, 0o700) == 0)
        default: #expect(unsafe symlink(target, dockerFile) == 0)
        }
        let reason = kind.hasPrefix("link") ? "it is a symbolic link" : "it is not a file"
        expect(
            try setUp("setup docker --yes"), ends: 1,
            "error: cannot change \(dockerFile): \(reason)",
            "hint: add \"credsStore\": \"taskvault\" where that file is made")
        #expect(try kind != "link" || text(target) == "{}")
        #expect(!Files.exists(home.folder + "/.local"))
    }

    @Test func aFolderThatCannotBeMadeIsNamedBeforeAnyChange() throws {
        try FileManager.default.createDirectory(
            atPath: home.folder + "/.local", withIntermediateDirectories: true)
        try Files.write("", to: home.folder + "/.local/bin")
        for program in ["git", "docker"] {
            let failed = try setUp("setup \(program) --yes")
            #expect(failed.exitCode == 1)
            #expect(
                failed.errorText.contains(
                    "error: cannot make the link \(link)\(program)-credential-taskvault: not a directory\n"
                ), "\(failed.errorText)")
            #expect(failed.errorText.contains("hint: make it in a folder of PATH: sudo ln -s /"))
        }
        #expect(!Files.exists(gitFile) && !Files.exists(dockerFile))
    }

    #if os(Linux)
        /// As home-manager and NixOS link them.
        @Test(.enabled(if: Bubblewrap.isUsable, Bubblewrap.reason))
        func aConfigurationInAReadOnlyStoreIsNamedBeforeAnyChange() throws {
            let store = home.folder + "/store"
            for folder in [store, home.folder + "/.docker"] {
                #expect(unsafe mkdir(folder, 0o700) == 0)
            }
            for (name, content, place) in [
                ("config.json", "{}", dockerFile), ("gitconfig", "", gitFile),
            ] {
                try Files.write(content, to: "\(store)/\(name)")
                #expect(unsafe symlink("\(store)/\(name)", place) == 0)
            }
            home.launcher = Bubblewrap.launcher(["--ro-bind", store, store])
            let docker = try setUp("setup docker --yes")
            expect(
                docker, ends: 1,
                "error: cannot change \(dockerFile): it is a symbolic link",
                "hint: add \"credsStore\": \"taskvault\" where that file is made")
            let git = try setUp("setup git --yes")
            #expect(git.exitCode == 1)
            #expect(git.errorText.contains("credential.helper taskvault failed: "))
            #expect(git.errorText.contains("Read-only file system"), "\(git.errorText)")
            #expect(
                git.errorText.hasSuffix(
                    "hint: add it where git's configuration is made: [credential] helper = taskvault\n"
                ))
            #expect(!Files.exists(home.folder + "/.local"))
        }
    #endif

    @Test func aTerminalIsAsked() throws {
        for (answer, code) in [("n\n", Int32(8)), ("y\n", 0)] {
            let session = try TerminalSession(home, ["setup", "docker"])
            try session.waitFor("Make this change? [y/N]")
            try session.type(answer)
            #expect(try session.finish() == code)
        }
        #expect(Files.exists(dockerFile))
    }
}
