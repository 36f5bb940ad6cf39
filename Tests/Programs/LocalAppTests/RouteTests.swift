import Application
import CommandLine
import Foundation
import HTTPServer
import Passkeys
import Platform
import TaskVaultCommands
import TestSupport
import Testing

@testable import LocalApp

/// The tables of the screens, without a browser and without an agent.
@Suite("Tables of the screens", .waitsForProcesses, .timeLimit(.minutes(60)))
struct RouteTests {
    private static let flags: Set = [
        "accept_older", "accept_other", "allow_empty", "append", "blocked", "clip", "digits",
        "done", "dry_run",
        "everywhere", "forget", "kept", "new_lineage",
        "no_symbols", "open", "overdue", "permanently", "remove_group",
        "private_network",
        "protected", "ready", "remind", "replace", "reveal", "show", "tasks", "today", "undo",
        "waiting", "week",
        "when", "with_subtasks", "yes",
    ]
    private static let lists: Set = ["after", "ids", "names", "tags", "untags"]
    private static let texts = [
        "class": "while-unlocked", "days": "7", "format": "taskvault", "length": "7", "limit": "7",
        "name": "file-sort",
        "order": "due",
        "priority": "high", "purpose": "register", "revision": "7", "sort": "name",
        "words": "7",
    ]

    /// A value of a member, in JSON or in a query.
    private func value(_ name: String, inQuery: Bool) -> String {
        if Self.flags.contains(name) { return inQuery ? "1" : "true" }
        if Self.lists.contains(name) { return #"["x"]"# }
        let text = Self.texts[name] ?? (name.hasSuffix("_base64") ? "AAAA" : "x")
        return inQuery ? text : #""\#(text)""#
    }

    private func request(_ route: PageRoute) -> HTTPRequest {
        let names = route.members.sorted()
        let path = "/api/" + route.path.joined(separator: "/")
        guard route.method != "GET" else {
            let query = names.map { "\($0)=\(value($0, inQuery: true))" }
            return HTTPRequest(
                method: "GET", path: path, query: query.joined(separator: "&"), id: "1")
        }
        let content = names.map { #""\#($0)":\#(value($0, inQuery: false))"# }
        return HTTPRequest(
            method: route.method, path: path,
            headers: HTTPHeaders([.init("Content-Type", "application/json")]),
            body: RequestBody(Array("{\(content.joined(separator: ","))}".utf8)), id: "1")
    }

    @Test func everyRouteIsACommandWithItsOptions() throws {
        try withTemporaryFolder { folder in
            let environment = EnvironmentVariables([
                "HOME": folder, "TASKVAULT_HOME": folder + "/home",
                "XDG_STATE_HOME": folder + "/state",
            ])
            let runner = CommandRunner(environment, home: nil)
            let uploads = Uploads(runner)
            for route in LocalApp.routes
            where !["imports", "uploads"].contains(route.path[0]) && route.path.last != "upload" {
                let http = request(route)
                let name = "\(route.method) \(http.path)"
                let parameters = ["id": "x", "subtask": "x"]
                let answer = try route.work(
                    AppRequest(
                        http: http, members: try Members(http), parameters: parameters,
                        runner: runner, uploads: uploads, origin: PageOrigin(port: 50_000)))
                let text = String(decoding: answer.body, as: UTF8.self)
                // Refusals of the parser, and of a command that got too few lines.
                for refusal in [
                    "unknown command", "option '--", "unexpected argument", "takes no operands",
                    "not a complete command", "end_of_input",
                ] {
                    #expect(!text.contains(refusal), "\(name): \(text)")
                }
                #expect(text.firstMatch(of: #/missing [A-Z]/#) == nil, "\(name): \(text)")
            }
        }
    }

    @Test func pathsAreFoundByTheirSegments() throws {
        func find(_ method: String, _ path: String) -> PageRoute? {
            let segments = path.split(separator: "/").map(String.init)
            return LocalApp.routes.first {
                $0.method == method && $0.parameters(segments) != nil
            }
        }
        #expect(find("POST", "tasks/k7m/subtasks/2q/done")?.path.last == "done")
        #expect(find("GET", "checklists/saved")?.path.last == "saved")
        #expect(find("GET", "checklists/travel")?.path.last == "{id}")
        #expect(find("DELETE", "tasks/k7m") == nil)
        #expect(find("GET", "tasks/k7m/x") == nil)
        var seen: Set<String> = []
        for route in LocalApp.routes {
            #expect(seen.insert("\(route.method) \(route.path)").inserted, "\(route.path)")
        }
    }

    @Test(arguments: [
        ("GET", "/", "a=%C3%A4+b&t=1&t=2", ""), ("POST", "/", nil, #"{"a":"ä b","t":["1","2"]}"#),
    ])
    func membersAreRead(_ method: String, _ path: String, _ query: String?, _ content: String)
        throws
    {
        let members = try Members(
            HTTPRequest(
                method: method, path: path, query: query,
                headers: HTTPHeaders([.init("Content-Type", "application/json")]),
                body: RequestBody(Array(content.utf8)), id: "1"))
        #expect(try members.text("a") == "ä b")
        #expect(try members.texts("t") == ["1", "2"])
        #expect(try members.text("x") == nil)
        #expect(try !members.flag("x"))
        #expect(throws: PageRequestError.self) { try members.text("t") }
        #expect(throws: PageRequestError.self) { try members.flag("a") }
    }

    @Test(arguments: ["a=%", "a=%4", "a=%zz", "a=%ff", "a=%00"])
    func aMalformedQueryIsRefused(_ query: String) {
        #expect(throws: PageRequestError.self) {
            try Members(HTTPRequest(method: "GET", path: "/", query: query, id: "1"))
        }
    }

    @Test(arguments: ["{}x", "{", "[]", "null", #"{"a":}"#, #"{"a":1,}"#, #"{"a":1,"a":2}"#])
    func malformedContentIsRefused(_ content: String) {
        #expect(throws: PageRequestError.self) {
            try Members(
                HTTPRequest(
                    method: "POST", path: "/",
                    headers: HTTPHeaders([.init("Content-Type", "application/json")]),
                    body: RequestBody(Array(content.utf8)), id: "1"))
        }
    }

    @Test func contentNeedsItsType() {
        #expect(throws: PageRequestError.self) {
            try Members(
                HTTPRequest(
                    method: "POST", path: "/",
                    headers: HTTPHeaders([.init("Content-Type", "text/plain")]),
                    body: RequestBody(Array("{}".utf8)), id: "1"))
        }
    }

    @Test func contentIsShownOnlyAsWhatCannotRun() {
        func type(_ mediaType: String?) -> [String] {
            HTTPResponse.content([], mediaType).headers.values("Content-Type")
        }
        #expect(type("image/png") == ["image/png"])
        #expect(type("application/pdf") == ["application/pdf"])
        for other in ["text/html", "image/svg+xml", "application/xhtml+xml", nil] {
            #expect(type(other) == ["application/octet-stream"])
        }
    }

    @Test func downloadsReplaceNothing() throws {
        try withTemporaryFolder { folder in
            let downloads = DownloadFolder(EnvironmentVariables(["HOME": folder]))
            #expect(downloads.path == folder)
            #expect(downloads.freePath("../a/b.txt") == folder + "/_._a_b.txt")
            #expect(downloads.freePath(".profile") == folder + "/_profile")
            for name in ["a.txt", "a (2).txt"] {
                try Data().write(to: URL(filePath: folder + "/" + name))
            }
            #expect(downloads.freePath("a.txt") == folder + "/a (3).txt")
            try FileManager.default.createDirectory(
                atPath: folder + "/Geladen", withIntermediateDirectories: false)
            try FileManager.default.createDirectory(
                atPath: folder + "/.config", withIntermediateDirectories: false)
            try Data(#"XDG_DOWNLOAD_DIR="$HOME/Geladen""#.utf8)
                .write(to: URL(filePath: folder + "/.config/user-dirs.dirs"))
            let chosen = DownloadFolder(EnvironmentVariables(["HOME": folder]))
            #expect(chosen.path == folder + "/Geladen")
        }
    }
}

/// The screen that a page is told to show first.
struct ShownTests {
    @Test(arguments: [
        ("task/k7m", true), ("inbox/3f2a", true), ("task/", false), ("secret/a", false),
        ("task/a/b", false), ("task/ü", false), (#"task/a""#, false), ("inbox/a\n", false),
        ("task/" + String(repeating: "a", count: 65), false),
    ])
    func onlyIdsAreShown(_ text: String, _ isShown: Bool) {
        #expect(AppPage.isShown(text) == isShown)
    }
}
