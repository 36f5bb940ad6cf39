import Foundation
import Testing
import TestSupport

/// Checklists of the real server, kept for offline use.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses)
struct ChecklistTests {
    private static func publish(_ place: AccountHome, _ id: String, title: String) throws {
        let json = """
            {"format":"taskvault-checklist","version":1,"id":"\(id)","title":"\(title)","summary":"Before the door closes.",
            "picture":"https://pictures.example/suitcase.jpg",
            "items":[{"title":"Passport","details":"Valid for six months."},{"title":"Keys","details":""}]}
            """
        let path = place.server.folder + "/" + id + ".json"
        try Files.write(json, to: path)
        try place.server.run("checklist publish \(path)")
    }

    private static func checklist(_ home: TestHome, _ words: String...) throws -> RunResult {
        try home.runBare(["checklist"] + words)
    }

    private static func titles(_ home: TestHome, _ options: String...) throws -> [String] {
        let listed = try home.runBare(["checklist", "list", "--json"] + options)
        expectDone(listed)
        return try #require(listed.json as? [[String: Any]]).texts("title")
    }

    @Test("S16: a list of the server, and a second one of what was saved, which works offline")
    func saved() throws {
        let place = try AccountHome()
        try Self.publish(place, "travel", title: "A journey")
        try Self.publish(place, "party", title: "Guests")
        #expect(try Self.titles(place.home) == ["A journey", "Guests"])
        #expect(try Self.titles(place.home, "--saved") == [])
        expectDone(try Self.checklist(place.home, "save", "travel"))
        #expect(try Self.titles(place.home, "--saved") == ["A journey"])
        let shown = try Self.checklist(place.home, "show", "travel").outputText
        place.server.stop()
        let offline = try Self.checklist(place.home, "show", "travel")
        expectDone(offline)
        #expect(offline.outputText == shown)
        for text in [
            "Passport", "Valid for six months.", "Before the door closes.",
            "https://pictures.example/suitcase.jpg",
        ] {
            #expect(shown.contains(text))
        }
        #expect(try Self.checklist(place.home, "show", "party").exitCode == 9)
        expectError(try Self.checklist(place.home, "list"), ends: 9, "checklist list --saved")
        expectDone(try Self.checklist(place.home, "start", "travel"))
        #expect(Set(try place.home.tasks().texts("name")) == ["Passport", "Keys"])
        #expect(Set(try place.home.tasks().texts("list")) == ["A journey"])
        #expect(
            try place.home.tasks("--search", "passport").texts("notes") == ["Valid for six months."]
        )
        expectDone(try Self.checklist(place.home, "remove", "travel"))
        #expect(try Self.titles(place.home, "--saved") == [])
        expectError(
            try Self.checklist(place.home, "remove", "travel"), ends: 5, "no saved checklist")
    }

    @Test("S16: a saved checklist can be read only while the vault is unlocked")
    func locked() throws {
        let place = try AccountHome()
        try Self.publish(place, "travel", title: "A journey")
        expectDone(try Self.checklist(place.home, "save", "travel"))
        try place.home.ask("lock")
        let secrets = try place.home.ask("secret list")
        #expect(secrets.exitCode != 0)
        for words in [["list", "--saved"], ["show", "travel"]] {
            let refused = try place.home.runBare(["checklist"] + words)
            #expect(refused.exitCode == secrets.exitCode, "\(refused.errorText)")
            #expect(refused.output.isEmpty && !refused.errorText.contains("journey"))
        }
    }

    @Test("S16: an unchanged checklist is not sent again, and what was saved stays")
    func unchanged() throws {
        let place = try AccountHome()
        try Self.publish(place, "travel", title: "A journey")
        expectDone(try Self.checklist(place.home, "save", "travel"))
        func answers(_ status: Int) -> Int {
            place.server.log.ranges(
                of: #""path":"/checklists/{checklist}","status":\#(status)"#
            ).count
        }
        #expect(Processes.wait { answers(200) == 1 })
        let shown = try Self.checklist(place.home, "show", "travel")
        #expect(shown.outputText.contains("A journey") && shown.errorText.isEmpty)
        #expect(Processes.wait { answers(304) == 1 })
        expectDone(try Self.checklist(place.home, "save", "travel"))
        #expect(Processes.wait { answers(304) == 2 })
        #expect(answers(200) == 1)
        #expect(try Self.titles(place.home, "--saved") == ["A journey"])
        // Another content has another tag.
        try Self.publish(place, "travel", title: "New")
        #expect(try Self.checklist(place.home, "show", "travel").outputText.contains("New"))
        #expect(Processes.wait { answers(200) == 2 })
        #expect(answers(304) == 2)
    }

    @Test("S16: a checklist starts in another list, or in none", arguments: ["june", ""])
    func startInList(list: String) throws {
        let place = try AccountHome()
        try Self.publish(place, "travel", title: "A journey")
        expectDone(try Self.checklist(place.home, "start", "travel", "--list", list))
        let tasks = try place.home.tasks()
        #expect(Set(tasks.texts("name")) == ["Passport", "Keys"])
        #expect(tasks.allSatisfy { ($0["list"] as? String ?? "") == list })
    }

    @Test("S16: a saved checklist follows the server, and another process sees each change")
    func changes() throws {
        let place = try AccountHome()
        try Self.publish(place, "travel", title: "Old")
        expectDone(try Self.checklist(place.home, "save", "travel"))
        try Self.publish(place, "travel", title: "New")
        #expect(try Self.titles(place.home, "--saved") == ["Old"])
        #expect(try Self.checklist(place.home, "show", "travel").outputText.contains("New"))
        #expect(try Self.titles(place.home, "--saved") == ["New"])
        // It was removed at the server: the saved one stays.
        try place.server.run("checklist remove travel")
        #expect(try Self.checklist(place.home, "show", "travel").outputText.contains("New"))
    }

    @Test(
        "S17: without allow-saving nothing is saved; switching it off removes all, with a question")
    func allowSaving() throws {
        let place = try AccountHome()
        try Self.publish(place, "travel", title: "A journey")
        #expect(try place.home.ask("settings get allow-saving").outputText == "yes\n")
        let offer = "checklist save travel"
        #expect(try Self.checklist(place.home, "show", "travel").outputText.contains(offer))
        expectDone(try Self.checklist(place.home, "save", "travel"))
        expectError(
            try place.home.ask("settings set allow-saving no"), ends: 2,
            "remove 1 saved checklist", "--yes")
        #expect(try Self.titles(place.home, "--saved") == ["A journey"])
        let session = try TerminalSession(place.home, ["settings", "set", "allow-saving", "no"])
        try session.answer("Remove 1 saved checklist from the vault? [y/N]", "n")
        #expect(try session.finish() == 8)
        #expect(try Self.titles(place.home, "--saved") == ["A journey"])
        expectDone(try place.home.ask("settings set allow-saving no --yes"))
        #expect(try Self.titles(place.home, "--saved") == [])
        #expect(try place.home.ask("settings get allow-saving").outputText == "no\n")
        let shown = try Self.checklist(place.home, "show", "travel").outputText
        #expect(shown.contains("Passport") && !shown.contains("checklist save"))
        expectError(
            try Self.checklist(place.home, "save", "travel"), ends: 8, "saving is off",
            "settings set allow-saving yes")
        expectDone(try place.home.ask("settings set allow-saving yes"))
        expectDone(try Self.checklist(place.home, "save", "travel"))
    }

    @Test("Checklists need an account, and one that exists")
    func refusals() throws {
        let place = try AccountHome(isSignedIn: false)
        expectError(try Self.checklist(place.home, "list"), ends: 5, "no account has signed in")
        let signedIn = try AccountHome()
        expectError(
            try Self.checklist(signedIn.home, "show", "missing"), ends: 5, "no checklist missing")
        expectError(try Self.checklist(signedIn.home, "show", "../x"), ends: 5, "no checklist")
        #expect(try Self.titles(signedIn.home) == [])
    }
}
