import Application
import CommandLine
import Foundation
import Platform
import TaskVaultCommands
import TestSupport
import Testing

@testable import LocalApp

/// Changes that pages learn of while they wait, made by other programs.
@Suite("Changes that pages see", .waitsForProcesses, .timeLimit(.minutes(60)))
struct EventTests {
    /// Waits for an event that a condition chooses; nil if none comes within two minutes.
    private func next(
        _ home: AppHome, _ sequence: inout Int, where isWanted: ([String: Any]) -> Bool
    ) throws -> [String: Any]? {
        let end = MonotonicTime.now + .seconds(120)
        while .now < end {
            let answer = try home.ask("GET", "events?after=\(sequence)").fields
            sequence = try #require(answer["sequence"] as? Int)
            let events = answer["events"] as? [[String: Any]] ?? []
            if let event = events.first(where: isWanted) { return event }
        }
        return nil
    }

    private func state(_ event: [String: Any]) -> String? {
        (event["session"] as? [String: Any])?["state"] as? String
    }

    @Test func theCommandLineIsSeen() throws {
        let home = try AppHome()
        var sequence = try #require(try home.open()["sequence"] as? Int)
        #expect(try home.command(["task", "add", "milk"]) == 0)
        #expect(try next(home, &sequence) { $0["event"] as? String == "tasks" } != nil)

        let unlock = ["unlock", "--passphrase-file", "-"]
        #expect(try home.command(unlock, input: AppHome.passphrase + "\n") == 0)
        #expect(try next(home, &sequence) { state($0) == "unlocked" } != nil)
        #expect(try home.command(["secret", "set", "a", "b"], input: "value") == 0)
        #expect(try next(home, &sequence) { $0["event"] as? String == "vault" } != nil)
        #expect(try home.command(["settings", "set", "snooze", "5m"]) == 0)
        #expect(try next(home, &sequence) { $0["event"] as? String == "settings" } != nil)
        #expect(try home.command(["lock"]) == 0)
        #expect(try next(home, &sequence) { state($0) == "locked" } != nil)
        // A vault that is destroyed while the page is open.
        #expect(try home.command(["destroy", "--yes"]) == 0)
        #expect(try next(home, &sequence) { state($0) == "none" } != nil)
        #expect(try home.ask("GET", "secrets").code == "no_vault")
    }

    @Test func anAgentThatAnswersLateIsNotLocked() throws {
        let home = try AppHome()
        try home.unlock()
        let session = try home.ask("GET", "session").fields
        let agent = pid_t(try #require(session["process_id"] as? Int))
        let environment = EnvironmentVariables([
            "HOME": home.folder, "TASKVAULT_HOME": home.folder + "/home",
            "XDG_STATE_HOME": home.folder + "/state",
        ])
        let watch = try AppWatch(CommandRunner(environment, home: nil))
        func told(_ state: String) throws -> Bool {
            try watch.next().session?.contains(#""state":"\#(state)""#) == true
        }
        try eventually("the session is told") { try told("unlocked") }
        kill(agent, SIGSTOP)
        defer { kill(agent, SIGCONT) }
        #expect(try watch.next().session == nil)
        kill(agent, SIGCONT)
        #expect(try home.ask("POST", "session/lock").status == 200)
        try eventually("the lock is told") { try told("locked") }
    }

    @Test func aPageSeesItsOwnChanges() throws {
        let home = try AppHome(withVault: false)
        var sequence = try #require(try home.open()["sequence"] as? Int)
        for number in 0..<5 {
            let made = try home.ask("POST", "tasks", #"{"name":"task \#(number)"}"#)
            #expect(made.status == 200)
            #expect(try next(home, &sequence) { $0["event"] as? String == "tasks" } != nil)
        }
    }

    @Test func theAppGoesOnWhileAPageWaits() throws {
        let home = try AppHome(withVault: false)
        try home.open()
        #expect(home.isRunning)
        #expect(try home.ask("POST", "goodbye").status == 200)
        #expect(try home.ask("GET", "events").code == "unauthorized")
    }

    @Test func theOpeningFileIsForItsUserOnly() throws {
        try withTemporaryFolder { folder in
            let path = try OpeningFile.write("text", .init(["XDG_RUNTIME_DIR": folder]))
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let other = try OpeningFile.write("text", .init(["XDG_RUNTIME_DIR": folder]))
            #expect(other != path)
        }
    }
}
