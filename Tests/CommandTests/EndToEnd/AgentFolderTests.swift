import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Where the agent's socket lies, with and without a home of its own.
@Suite struct AgentFolderTests {
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
        // A named home has its own place, for the same vault or another one.
        let named = home.folder + "/data/taskvault"
        #expect(try home.ask("secret list --home \(named)").exitCode == 3)
        // When the system takes the folder away at the end of the person's session, the agent goes, too.
        #expect(unsafe rename(home.folder + "/run", home.folder + "/gone") == 0)
        #expect(Processes.wait { !Processes.isRunning(agent) })
    }

    @Test func withoutOneTheVaultsFolderDoes() throws {
        let home = try home(runtime: nil)
        let agent = try home.unlock()
        #expect(Files.exists(home.folder + "/data/taskvault/agent.sock"))
        try home.tell("value")
        try home.expectValue("value")
        kill(agent, SIGTERM)
        #expect(Processes.wait { !Processes.isRunning(agent) })
        #expect(Files.names(in: home.folder + "/data/taskvault") == ["vault.db"])
    }

    @Test func aRelativeOneIsIgnored() throws {
        let home = try home(runtime: nil)
        home.environment["XDG_RUNTIME_DIR"] = "run"
        try home.unlock()
        #expect(Files.exists(home.folder + "/data/taskvault/agent.sock"))
        #expect(!Files.exists(home.folder + "/run"))
    }

    @Test func oneThatOthersCanChangeIsRefused() throws {
        let home = try home(runtime: "run")
        Files.setMode(home.folder + "/run", 0o777)
        let refused = try home.ask("unlock --passphrase-file \(home.passphraseFile)")
        #expect(refused.exitCode == 8, "\(refused.errorText)")
        for name in Files.names(in: home.folder + "/run/taskvault") {
            #expect(Files.names(in: home.folder + "/run/taskvault/" + name).isEmpty)
        }
    }

    @Test func aSocketThatIsNoneIsNotTrusted() throws {
        let home = try TestHome()
        try Files.write("something else", to: home.home + "/agent.sock")
        for command in ["unlock --passphrase-file \(home.passphraseFile)", "secret list", "lock"] {
            expect(
                try home.ask(command), ends: 8,
                "error: \(home.home)/agent.sock is not a socket of this user",
                "hint: nothing was sent; find out who put it there")
        }
        #expect(try home.state == "locked")
    }
}
