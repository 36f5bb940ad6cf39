import Foundation
import TestSupport
import Testing

/// Sync on the page, over HTTP: two homes that share a folder.
@Suite("Devices on the page", .waitsForProcesses, .timeLimit(.minutes(60)))
struct DeviceTests {
    private func verifiedHome() throws -> AppHome {
        let home = try AppHome()
        try home.unlock()
        let verified = try home.ask(
            "POST", "session/verify", #"{"passphrase":"\#(AppHome.passphrase)"}"#)
        try #require(verified.status == 200)
        return home
    }

    /// How far a joining is, as soon as it is as far as that.
    private func joining(
        _ home: AppHome, _ isSo: ([String: Any]) -> Bool
    ) throws -> [String: Any] {
        var found: [String: Any] = [:]
        try eventually("the joining goes on") {
            let answer = try home.ask("GET", "sync/joining")
            try #require(answer.status == 200, "\(answer.code ?? "")")
            found = answer.fields
            return isSo(found)
        }
        return found
    }

    private func shown(_ home: AppHome) throws -> String {
        try #require(try joining(home) { $0["shown"] is String }["shown"] as? String)
    }

    private func type(_ digits: String, _ home: AppHome) throws {
        _ = try joining(home) { $0["asks"] as? Bool == true }
        _ = try home.ask("POST", "sync/joining/digits", #"{"code":"\#(digits)"}"#)
    }

    private func folder(_ home: AppHome) throws -> String {
        let folder = home.folder + "/shared"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        return folder
    }

    @Test func aHomeWithoutSyncSaysSo() throws {
        let home = try verifiedHome()
        #expect(try home.ask("GET", "sync").code == "sync_off")
        let missing = try home.ask("POST", "sync/enable", #"{"folder":"/none"}"#)
        #expect(missing.code == "no_folder")
        #expect(try home.ask("POST", "devices/approve").code == "sync_off")
        #expect(try home.ask("POST", "sync/join", #"{"folder":"/none"}"#).code == "no_folder")
        // Without a folder it is the account.
        for path in ["sync/enable", "sync/join"] {
            #expect(try home.ask("POST", path, "{}").code == "no_server")
        }
        let code = #"{"recovery_code":"none"}"#
        #expect(try home.ask("POST", "sync/recover", code).code == "recovery_code_malformed")
    }

    @Test func twoPagesJoinByTheirDigits() throws {
        let (first, second) = (try verifiedHome(), try verifiedHome())
        let folder = try folder(first)
        #expect(try first.ask("POST", "tasks", #"{"name":"buy milk"}"#).status == 200)
        let enabled = try first.ask(
            "POST", "sync/enable", #"{"folder":"\#(folder)","name":"first"}"#)
        #expect(enabled.status == 200, "\(enabled.code ?? "")")
        let begun = try second.ask(
            "POST", "sync/join", #"{"folder":"\#(folder)","name":"second"}"#)
        #expect(begun.status == 200, "\(begun.code ?? "")")
        #expect(try first.ask("POST", "devices/approve").status == 200)
        try type(try shown(second), first)
        try type(try shown(first), second)
        for home in [first, second] {
            let isOver = until {
                (try? home.ask("GET", "sync/joining").fields["running"] as? Bool) == false
            }
            #expect(isOver)
        }
        // The page of each runs rounds by itself.
        let hasCome = until {
            (try? second.ask("GET", "tasks").rows.compactMap { $0["name"] as? String })
                == ["buy milk"]
        }
        #expect(hasCome)
        try eventually("the name has come") {
            let devices = try first.ask("GET", "sync").fields["devices"] as? [[String: Any]]
            return devices?.compactMap { $0["name"] as? String } == ["first", "second"]
        }
        // Removing says what that machine could read.
        _ = try first.ask(
            "POST", "secrets/set",
            #"{"service":"bank.example","account":"ada","field":"password","value":"x"}"#)
        let removed = try first.ask("POST", "devices/remove", #"{"device":"second"}"#)
        let readable = removed.fields["could_read"] as? [[String: Any]]
        #expect(readable?.compactMap { $0["service"] as? String } == ["bank.example"])
        #expect(try second.ask("POST", "sync/now").code == "device_removed")
        // A folder is no account, whose server could remove anything.
        let refused = try second.ask("POST", "sync/disable", #"{"remove_group":true}"#)
        #expect(refused.code == "not_last_device")
        #expect(
            try second.ask("POST", "sync/disable", #"{"remove_group":false}"#).status == 200)
        #expect(try second.ask("GET", "sync").code == "sync_off")
    }

    @Test func wrongDigitsAndGivingUpEndAJoining() throws {
        let home = try verifiedHome()
        let folder = try folder(home)
        #expect(try home.ask("POST", "sync/enable", #"{"folder":"\#(folder)"}"#).status == 200)
        #expect(try home.ask("POST", "devices/approve").status == 200)
        #expect(try home.ask("POST", "sync/joining/end").status == 200)
        let isOver = until {
            (try? home.ask("GET", "sync/joining").code) == "joining_given_up"
        }
        #expect(isOver)
        // Another one replaces it.
        #expect(try home.ask("POST", "devices/approve").status == 200)
        #expect(try home.ask("GET", "sync/joining").fields["running"] as? Bool == true)
        #expect(try home.ask("POST", "sync/joining/end").status == 200)
    }
}
