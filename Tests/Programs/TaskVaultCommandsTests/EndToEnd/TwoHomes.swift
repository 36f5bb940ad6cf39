import Foundation
import Platform
import Testing

/// Two homes with vaults of their own, and a folder that both can use, as a program that copies it would make.
struct TwoHomes {
    let first: TestHome
    let second: TestHome
    let folder: String

    /// Makes the homes; with `isJoined` as two devices of one group.
    init(isJoined: Bool = true) throws {
        first = try TestHome.forTasks(withVault: false)
        second = try TestHome.forTasks(withVault: false)
        for home in [first, second] { try home.make() }
        folder = first.folder + "/shared"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        guard isJoined else { return }
        try enable()
        try join()
    }

    /// Makes the first home the first device.
    func enable() throws {
        let enabled = try first.run("sync enable --folder \(folder) --name first --json")
        #expect(enabled.exitCode == 0, "\(enabled.errorText)")
        #expect(enabled.object["name"] as? String == "first")
    }

    /// Joins the second home, with both persons at their terminals.
    func join() throws {
        let (joining, approving) = try sessions()
        try Self.exchange(joining, approving)
        #expect(try approving.finish() == 0, "\(approving.screen)")
        #expect(approving.screen.contains("added the device second"))
        #expect(try joining.finish() == 0, "\(joining.screen)")
    }

    /// Both ends of a joining, unlocked.
    func sessions() throws -> (joining: TerminalSession, approving: TerminalSession) {
        for home in [first, second] { try home.unlock() }
        return (
            try TerminalSession(
                second, ["sync", "join", "--folder", folder, "--name", "second"]),
            try TerminalSession(first, ["device", "approve"])
        )
    }

    /// Reads each end's digits and types them on the other.
    static func exchange(_ joining: TerminalSession, _ approving: TerminalSession) throws {
        try joining.waitFor("type these digits on the other device: ")
        let shown = try digits(joining)
        try approving.answer("Digits of the new device", shown)
        try approving.waitFor("type these digits on the new device: ")
        let others = try digits(approving)
        try joining.answer("Digits of the other device", others)
    }

    /// The last six digits on a screen, once their line is complete.
    static func digits(_ session: TerminalSession) throws -> String {
        try session.waitFor("\n")
        let all = session.screen.matches(of: /digits on [^:]*: (\d{3} \d{3})/)
        return String(try #require(all.last?.output.1))
    }

    /// Rounds of both, until nothing more travels between them.
    func sync(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for home in [first, second, first, second] {
            try home.syncNow(sourceLocation: sourceLocation)
        }
    }
}

extension TestHome {
    /// Runs a round with the passphrase, so that everything travels.
    @discardableResult
    func syncNow(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
        let synced = try run("sync now --json")
        #expect(synced.exitCode == 0, "\(synced.errorText)", sourceLocation: sourceLocation)
        return synced.object
    }

    /// The output of `sync status --json`.
    var syncStatus: [String: Any] {
        get throws { try ask("sync status --json").object }
    }

    /// The services that `secret list --json` shows, and whether each is marked.
    func entries() throws -> [String: Bool] {
        let listed = try run("secret list --json")
        #expect(listed.exitCode == 0, "\(listed.errorText)")
        let entries = try #require(listed.json as? [[String: Any]])
        return Dictionary(
            entries.map {
                ($0["service"] as? String ?? "", $0["concurrent"] as? Bool ?? false)
            }
        ) { first, _ in first }
    }
}
