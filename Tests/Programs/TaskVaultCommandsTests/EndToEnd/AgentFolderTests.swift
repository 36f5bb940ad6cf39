import Platform
import Testing
import TestSupport

/// Where the agent's socket lies, with and without a home of its own.
@Suite(.waitsForProcesses) struct AgentFolderTests {
    private func home(runtime: String?) throws -> TestHome {
        let home = try TestHome(withVault: false)
        home.environment["TASKVAULT_HOME"] = nil
        home.environment["XDG_DATA_HOME"] = home.folder + "/data"
        if let runtime {
            home.environment["XDG_RUNTIME_DIR"] = home.folder + "/" + runtime
            #expect(unsafe mkdir(home.folder + "/" + runtime, 0o700) == 0)
        }
        try home.make()
        return home
    }

    @Test func theRuntimeFolderHoldsIt() throws {
        let home = try home(runtime: "run")
        let agent = try home.unlock()
        let folder = home.folder + "/run/taskvault"
        #expect(Files.names(in: home.folder + "/data/taskvault").contains("vault.db"))
        #expect(!Files.exists(home.folder + "/data/taskvault/agent.sock"))
        let name = try #require(Files.names(in: folder).first)
        #expect(name.wholeMatch(of: /[0-9a-f]{16}/) != nil)
        #expect(Files.names(in: folder + "/" + name) == ["agent.sock"])
        #expect(Files.mode(folder) == 0o700)
        #expect(Files.mode(folder + "/" + name) == 0o700)
        try home.tell("value")
        try home.expectValue("value")
        // When the system takes the folder away at the end of the person's session, the agent goes, too.
        #expect(unsafe rename(home.folder + "/run", home.folder + "/gone") == 0)
        #expect(Processes.wait { !Processes.isRunning(agent) })
    }

    @Test func otherNamesOfTheVaultFindItsAgent() throws {
        let home = try home(runtime: "run")
        let agent = try home.unlock()
        try home.tell("value")
        var named = home.environment
        named["TASKVAULT_HOME"] = home.folder + "/data/taskvault"
        var bare = home.environment
        bare["XDG_RUNTIME_DIR"] = nil
        let usual = home.environment
        for environment in [named, usual] {
            home.environment = environment
            try home.expectValue("value")
            #expect(try home.state == "verified")
            #expect(try home.unlock() == agent, "there is one for a vault")
        }
        // Without the folder the other agent cannot be found; a second one is refused all the same.
        home.environment = bare
        expect(
            try home.ask("agent"), ends: 6, "error: an agent is already running for this vault",
            "hint: taskvault status")
        home.environment = named
        expect(try home.ask("lock"), ends: 0)
        home.environment = usual
        #expect(try home.state == "locked")
    }

    /// Where it is, a user without `XDG_RUNTIME_DIR` has a runtime folder all the same.
    private static let hasRuntimeFolder = Files.exists("/run/user/\(geteuid())")

    @Test(.disabled(if: hasRuntimeFolder, "this user has a runtime folder"))
    func withoutOneTheVaultsFolderDoes() throws {
        let home = try home(runtime: nil)
        let agent = try home.unlock()
        #expect(Files.exists(home.folder + "/data/taskvault/agent.sock"))
        try home.tell("value")
        try home.expectValue("value")
        kill(agent, SIGTERM)
        #expect(Processes.wait { !Processes.isRunning(agent) })
        #expect(Files.names(in: home.folder + "/data/taskvault") == ["vault.db"])
    }

    @Test(.disabled(if: hasRuntimeFolder, "this user has a runtime folder"))
    func aRelativeOneIsIgnored() throws {
        let home = try home(runtime: nil)
        home.environment["XDG_RUNTIME_DIR"] = "run"
        try home.unlock()
        #expect(Files.exists(home.folder + "/data/taskvault/agent.sock"))
        #expect(!Files.exists(home.folder + "/run"))
    }

    @Test(
        .disabled(if: hasRuntimeFolder, "this user has a runtime folder"),
        arguments: ["changed by others", "missing", "a file"])
    func oneThatCannotBeUsedIsIgnored(how: String) throws {
        let home = try home(runtime: "run")
        let folder = home.folder + "/run"
        switch how {
        case "missing": #expect(unsafe rmdir(folder) == 0)
        case "a file":
            #expect(unsafe rmdir(folder) == 0)
            try Files.write("", to: folder)
        default: Files.setMode(folder, 0o777)
        }
        try home.unlock()
        #expect(Files.exists(home.folder + "/data/taskvault/agent.sock"))
        #expect(!Files.exists(folder + "/taskvault"), "nothing is made there")
    }

    @Test(arguments: ["a file", "a dangling link"])
    func whyTheAgentCouldNotStartIsSaid(how: String) throws {
        let home = try home(runtime: "run")
        let folder = home.folder + "/run/taskvault"
        if how == "a file" {
            try Files.write("", to: folder)
        } else {
            #expect(unsafe symlink("nowhere", folder) == 0)
        }
        // Its own words and exit code, once.
        let said = try home.ask("agent")
        #expect(said.exitCode == 8)
        #expect(said.errorLines.count == 1)
        #expect(said.errorText.hasPrefix("taskvault: error: \(folder)/"))
        #expect(said.errorText.hasSuffix(" is not safe to use: not a folder that can be made\n"))
        let unlock = "unlock --passphrase-file \(home.passphraseFile)"
        let refused = try home.ask(unlock)
        #expect(refused.exitCode == 8)
        #expect(refused.errors == said.errors)
        let inJSON = try home.ask(unlock + " --json")
        #expect(inJSON.exitCode == 8)
        #expect(inJSON.failure["code"] as? String == "unsafe_location")
        #expect(inJSON.output.isEmpty)
        #expect(try home.state == "locked")
    }

    @Test func aSocketThatIsNoneIsNotTrusted() throws {
        let home = try TestHome()
        try Files.write("something else", to: home.home + "/agent.sock")
        for command in ["unlock --passphrase-file \(home.passphraseFile)", "secret list", "lock"] {
            expect(
                try home.ask(command), ends: 8,
                "error: \(home.home)/agent.sock is not a socket of this user",
                "hint: nothing was sent; check the owner of that file")
        }
        #expect(try home.state == "locked")
    }
}
