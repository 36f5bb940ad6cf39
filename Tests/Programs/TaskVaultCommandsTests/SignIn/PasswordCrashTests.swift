import Foundation
import Testing
import TestSupport

/// Wherever a change of the password breaks off, the next start signs in with the password that counts.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct PasswordCrashTests {
    private static let request = "POST /account/password"

    /// Expects that a start signs in silently, sends at most one password that is wrong, and settles the change.
    private func expectSettled(
        _ place: AccountHome, _ new: String, changed: Bool, _ comment: String
    ) throws {
        let failures = failedSignIns(place)
        try place.expectSilentStart(comment)
        let now = try place.cached("password")
        #expect(now == (changed ? new : place.password), "\(comment)")
        #expect(failedSignIns(place) <= failures + 1, "\(comment)")
        // More starts than wrong passwords are free of charge: failed tries do not lock the account.
        for _ in 0..<7 { try place.expectSilentStart(comment) }
        // The server's word.
        expectDone(try place.ask("logout"))
        expectDone(try place.ask("login"))
        // And it can be changed again at once: to the same word, as long as that may be under way.
        let lines = [changed ? new : place.password, changed ? place.password : new]
        expectDone(try place.ask("account password", lines))
        #expect(try place.cached("password") == lines[1], "\(comment)")
        #expect(try place.cached("pending-password") == nil, "\(comment)")
    }

    /// How often the server rejected what was sent to sign in.
    private func failedSignIns(_ place: AccountHome) -> Int {
        place.server.log.ranges(of: #""path":"/oauth/token","status":400"#).count
    }

    @Test(arguments: Relay.Moment.allCases)
    func aConnectionThatBreaks(moment: Relay.Moment) throws {
        let place = try AccountHome()
        let new = AccountHome.word("changed")
        let changed = moment != .beforeTheRequest
        place.server.relay.breakNext(Self.request, moment)
        let result = try place.ask("account password", [place.password, new])
        // The command finds out by itself which password counts.
        #expect(result.exitCode == (changed ? 0 : 9), "\(result.errorText)")
        try expectSettled(place, new, changed: changed, "\(moment)")
    }

    @Test(arguments: Relay.Moment.allCases)
    func aServerThatDiesThen(moment: Relay.Moment) throws {
        let (place, new, client) = try hold(Self.request, moment)
        place.server.stop()
        place.server.relay.release()
        #expect(Executable.wait(for: client) == 9)
        // What was typed is there, and the old one too.
        #expect(try place.cached("password") == place.password)
        #expect(try place.cached("pending-password") == new)
        #expect(try place.unlock().count == 1)
        try place.server.start()
        try expectSettled(place, new, changed: moment != .beforeTheRequest, "\(moment)")
    }

    @Test(arguments: Relay.Moment.allCases)
    func aClientThatIsKilledThen(moment: Relay.Moment) throws {
        let (place, new, client) = try hold(Self.request, moment)
        kill(client, SIGKILL)
        #expect(Executable.wait(for: client) == 128 + SIGKILL)
        place.server.relay.release()
        try expectSettled(place, new, changed: moment != .beforeTheRequest, "\(moment)")
    }

    /// Before the change the client signs in; nothing of the change is there then.
    @Test func aClientThatIsKilledBefore() throws {
        let (place, new, client) = try hold("POST /oauth/token", .beforeTheAnswer)
        kill(client, SIGKILL)
        _ = Executable.wait(for: client)
        place.server.relay.release()
        #expect(try place.cached("pending-password") == nil)
        try expectSettled(place, new, changed: false, "before")
    }

    /// A copy of the vault on another machine, which hears of it by its own failure.
    @Test func anotherMachineIsAskedOnceAfterAChange() throws {
        let place = try AccountHome()
        let second = try place.copy()
        try second.unlock()
        let new = AccountHome.word("changed")
        expectDone(try place.ask("account password", [place.password, new]))
        let before = place.server.relay.passwordsTried
        for _ in 0..<3 {
            let start = try second.runBare(["unlock", "--passphrase-file", second.passphraseFile])
            #expect(start.errorText.contains("rejects the cached credentials"))
        }
        #expect(place.server.relay.passwordsTried == before + 1)
        #expect(
            try second.ask("login --password-file -", input: new + "\n").exitCode == 0)
        #expect(try place.ask("whoami").exitCode == 0)
    }

    @Test(arguments: ["login", "account password"])
    func aVaultThatIsLockedInTheMiddle(command: String) throws {
        let place = try AccountHome()
        let new = AccountHome.word("changed")
        if command == "login" {
            // The server itself takes its time.
            let before = place.server.relay.requests.count
            kill(place.server.id, SIGSTOP)
            let client = try start(place, command, [])
            #expect(Processes.wait { place.server.relay.requests.count > before })
            expectDone(try place.ask("lock"))
            kill(place.server.id, SIGCONT)
            #expect(Executable.wait(for: client) == 3)
        } else {
            place.server.relay.holdNext(Self.request, .withinTheAnswer)
            let client = try start(place, new)
            try place.server.relay.waitUntilHeld()
            expectDone(try place.ask("lock"))
            place.server.relay.release(unbroken: true)
            #expect(Executable.wait(for: client) == 3)
        }
        try expectSettled(place, new, changed: command != "login", command)
    }

    /// Starts a change of the password, of which a request is held up.
    private func hold(
        _ request: String, _ moment: Relay.Moment
    ) throws -> (AccountHome, new: String, client: pid_t) {
        let place = try AccountHome()
        let new = AccountHome.word("changed")
        place.server.relay.holdNext(request, moment)
        let client = try start(place, new)
        try place.server.relay.waitUntilHeld()
        return (place, new, client)
    }

    private func start(_ place: AccountHome, _ new: String) throws -> pid_t {
        try start(place, "account password", [place.password, new])
    }

    /// Starts a command that asks the agent, without waiting for its end.
    private func start(
        _ place: AccountHome, _ command: String, _ lines: [String]
    ) throws -> pid_t {
        let file = place.home.folder + "/lines"
        try Files.write(lines.map { $0 + "\n" }.joined(), to: file)
        let input = try Files.open(file, O_RDONLY)
        let sink = try Files.open("/dev/null", O_WRONLY)
        defer {
            close(input)
            close(sink)
            unsafe unlink(file)
        }
        return try Executable.start(
            command.split(separator: " ").map(String.init) + ["--password-file", "-"],
            environment: place.home.environment, in: place.home.folder,
            .init(input: input, output: sink, errors: sink))
    }
}
