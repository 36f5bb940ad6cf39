import Platform
import Testing
import TestSupport

/// Several processes and machines at once: no session ends because two used the same token.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SignInProcessesTests {
    /// Starts a command that asks the agent, without waiting for its end.
    private func start(_ home: TestHome, _ arguments: [String]) throws -> pid_t {
        let input = try Files.open("/dev/null", O_RDWR)
        defer { close(input) }
        let errors = try Files.open(errorFile(home), O_WRONLY | O_CREAT | O_APPEND)
        defer { close(errors) }
        return try Executable.start(
            arguments, environment: home.environment, in: home.folder,
            .init(input: input, output: input, errors: errors))
    }

    /// Expects started commands to succeed; what they said is shown where one does not.
    private func expectSuccess(
        _ started: [pid_t], in home: TestHome, _ comment: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let exitCodes = started.map { Executable.wait(for: $0) }
        guard exitCodes.contains(where: { $0 != 0 }) else { return }
        let said = (try? Files.read(errorFile(home))).map { String(decoding: $0, as: UTF8.self) }
        Issue.record(
            "\(comment) \(exitCodes): \(said ?? "")", sourceLocation: sourceLocation)
    }

    private func errorFile(_ home: TestHome) -> String { home.folder + "/errors" }

    @Test func processesThatMakeAnInboxMakeOne() throws {
        let place = try AccountHome()
        for round in 0..<5 {
            let started = try (0..<3).map { _ in try start(place.home, ["inbox", "enable"]) }
            expectSuccess(started, in: place.home, "\(round)")
            let ended = try place.home.doInbox("disable", "--all", "--yes")
            #expect(ended.outputText == "ended 1 inbox\n")
        }
    }

    @Test func twoProcessesNeverEndASession() throws {
        let place = try AccountHome()
        let session = try id(place)
        let passwords = place.server.relay.passwordsTried
        let unlock = ["unlock", "--passphrase-file", place.home.passphraseFile]
        for round in 0..<20 {
            let started = try [unlock, round % 2 == 0 ? unlock : ["login"], ["whoami"]].map {
                try start(place.home, $0)
            }
            expectSuccess(started, in: place.home, "\(round)")
        }
        // One session from the first to the last, and the password was never needed.
        #expect(try id(place) == session)
        #expect(place.server.relay.passwordsTried == passwords)
        let refreshes = place.server.relay.refreshes
        // Two in each round, less what gave up waiting on a machine that pauses.
        #expect(refreshes.count >= 36)
        #expect(Set(refreshes).count == refreshes.count, "no token was used twice")
        #expect(!place.server.log.contains(#""status":400"#))
    }

    /// While one waits for its answer the other does not use the same token.
    @Test func theSecondWaitsForTheFirst() throws {
        let place = try AccountHome()
        let relay = place.server.relay
        let before = relay.refreshes.count
        relay.holdNext("POST /oauth/token refresh", .beforeTheAnswer)
        let first = try start(place.home, ["login"])
        try relay.waitUntilHeld()
        let second = try start(place.home, ["login"])
        // It has all the time that three starts take.
        for _ in 0..<3 { #expect(try place.unlock("--offline") == []) }
        #expect(relay.refreshes.count == before + 1)
        relay.release(unbroken: true)
        expectSuccess([first, second], in: place.home)
        #expect(Set(relay.refreshes).count == before + 2)
        #expect(try place.server.sessions() == 1)
    }

    /// Without caching nothing is cached, also by an ongoing sign-in.
    @Test func aSignInUnderWayKeepsNothingAgainstTheSettings() throws {
        let place = try AccountHome()
        let relay = place.server.relay
        relay.holdNext("POST /oauth/token refresh", .beforeTheAnswer)
        let login = try start(place.home, ["login"])
        try relay.waitUntilHeld()
        let setting = try start(
            place.home, ["settings", "set", "allow-caching-credentials", "no"])
        for _ in 0..<3 { #expect(try place.unlock("--offline") == []) }
        relay.release(unbroken: true)
        expectSuccess([login, setting], in: place.home)
        #expect(try place.cachedKinds() == [])
        #expect(try place.server.sessions() == 0)
        #expect(try place.unlock() == [])
    }

    /// A logout during a question with the old token stays effective, although the vault has the password.
    @Test func anOngoingQuestionDoesNotSignInAgain() throws {
        let place = try AccountHome()
        let relay = place.server.relay
        relay.holdNext("GET /account", .beforeTheRequest)
        let question = try start(place.home, ["whoami"])
        try relay.waitUntilHeld()
        expectDone(try place.ask("logout"))
        relay.release(unbroken: true)
        #expect(Executable.wait(for: question) == 5)
        #expect(try place.server.sessions() == 0)
        #expect(try place.ask("whoami").exitCode == 5)
        #expect(try place.unlock() == [])
        expectDone(try place.ask("login"))
    }

    /// Vaults that were one once, as those that two machines share.
    @Test func twoMachinesHaveTokensOfTheirOwn() throws {
        let place = try AccountHome()
        let second = try place.copy()
        try second.unlock()
        #expect(try place.server.sessions() == 2)
        #expect(try place.cached("session") != place.cached("session", in: second))
        for round in 0..<10 {
            let started = try [place.home, second].map {
                try start($0, ["unlock", "--passphrase-file", $0.passphraseFile])
            }
            for (home, process) in zip([place.home, second], started) {
                expectSuccess([process], in: home, "\(round)")
            }
        }
        #expect(try place.server.sessions() == 2)
        #expect(!place.server.log.contains(#""status":400"#))
        // One signs out; the other has a session of its own.
        expectDone(try place.ask("logout"))
        expectDone(try second.ask("whoami"))
        #expect(try place.server.sessions() == 1)
    }

    /// A session that ended, but not because its owner or an operator ended it for good, is continued by the password.
    @Test func aSessionThatEndedFallsBackToThePassword() throws {
        let place = try AccountHome()
        let session = try id(place)
        try place.server.run("account disable \(AccountHome.account)")
        try place.server.run("account enable \(AccountHome.account)")
        let before = place.server.relay.passwordsTried
        try place.expectSilentStart()
        #expect(try id(place) != session)
        #expect(place.server.relay.passwordsTried == before + 1)
    }

    /// A disabled account is no wrong password: nothing is asked for or forgotten, and after it is enabled the start is silent again.
    @Test func aDisabledAccountIsNoWrongPassword() throws {
        let place = try AccountHome()
        try place.server.run("account disable \(AccountHome.account)")
        expectError(try place.ask("login"), ends: 10, "is disabled", "ask the operator")
        try place.server.run("account enable \(AccountHome.account)")
        try place.expectSilentStart()
    }

    /// The only session of the account.
    private func id(_ place: AccountHome) throws -> String {
        let shown = try place.server.run("account show \(AccountHome.account)")
        let sessions = try #require(shown["sessions"] as? [[String: Any]])
        #expect(sessions.count == 1)
        return try #require(sessions.first?["id"] as? String)
    }
}
