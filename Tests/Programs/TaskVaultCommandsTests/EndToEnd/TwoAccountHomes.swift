import Foundation
import Testing
import TestSupport

/// Two homes with vaults of their own, signed in to one account of a real server.
struct TwoAccountHomes {
    let place: AccountHome
    let second: TestHome

    var first: TestHome { place.home }
    var server: AuthServer { place.server }

    /// Makes the homes; with `isJoined` as two devices of one group.
    init(isJoined: Bool = true, options: [String] = []) throws {
        place = try AccountHome(options: options)
        try place.home.surround()
        second = try TestHome.forTasks(withVault: false)
        try second.make()
        try second.unlock()
        try expectDone(second.ask("settings set server \(place.server.issuer)"))
        try login()
        guard isJoined else { return }
        try expectDone(first.run("sync enable --name first"))
        try join()
    }

    /// Signs in the second home.
    func login() throws {
        try expectDone(
            second.ask(
                "login \(AccountHome.account) --password-file -", input: place.password + "\n"))
    }

    /// Joins the second home, with both persons at their terminals.
    func join() throws {
        for home in [first, second] { try home.unlock() }
        let joining = try TerminalSession(second, ["sync", "join", "--name", "second"])
        let approving = try TerminalSession(first, ["device", "approve"])
        try TwoHomes.exchange(joining, approving)
        #expect(try approving.finish() == 0, "\(approving.screen)")
        #expect(approving.screen.contains("added the device second"))
        #expect(try joining.finish() == 0, "\(joining.screen)")
    }

    /// Rounds of both, until nothing more travels between them.
    func sync(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for home in [first, second, first, second] {
            try home.syncNow(sourceLocation: sourceLocation)
        }
    }
}
