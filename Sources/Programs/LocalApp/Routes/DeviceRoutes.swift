internal import Application
internal import HTTPServer
internal import Platform
internal import TextCoding

extension PageRoute {
    /// Sync and its devices.
    static let devices: [PageRoute] = [
        PageRoute("GET", "sync") { request in
            // The exit code is that of what the last round found. The report says it.
            .report(try request.run(["sync", "status"]), orCode: nil)
        },
        PageRoute("POST", "sync/now") { request in
            .report(try request.run(["sync", "now"]), orCode: nil)
        },
        .command(
            "POST", "sync/enable", "sync enable", [], [.text("folder"), .text("name")]),
        .command(
            "POST", "sync/recover", "sync join --recovery-code", [],
            [.text("folder"), .text("name"), .required("recovery_code")]),
        .command("POST", "sync/check", "sync check"),
        .command("GET", "sync/log", "sync log"),
        .command("POST", "sync/seen", "sync seen --all"),
        .command("POST", "sync/disable", "sync disable --yes", [], [.flag("remove_group")]),
        .command(
            "POST", "devices/rename", "device rename", [.member("device"), .member("name")]),
        .command("POST", "devices/remove", "device remove --yes", [.member("device")]),
        // Joining takes minutes: a thread runs the command, and the page asks how far it is.
        PageRoute("POST", "sync/join", ["folder", "name"]) { request in
            var words = ["sync", "join"]
            for name in ["folder", "name"] {
                if let text = try request.members.text(name) { words.append("--\(name)=\(text)") }
            }
            return try request.beginJoining(words)
        },
        PageRoute("POST", "devices/approve") { try $0.beginJoining(["device", "approve"]) },
        PageRoute("GET", "sync/joining") { _ in .joining(PendingJoining.shared.status) },
        PageRoute("POST", "sync/joining/digits", ["code"]) { request in
            PendingJoining.shared.answer(try request.members.text("code") ?? "")
            return .result("null")
        },
        PageRoute("POST", "sync/joining/end") { _ in
            PendingJoining.shared.giveUp()
            return .result("null")
        },
    ]
}

extension AppRequest {
    fileprivate func beginJoining(_ words: [String]) throws -> HTTPResponse {
        let runner = runner
        do {
            let refused = try PendingJoining.shared.begin {
                try runner.run(words, operands: [], asJSON: true, input: nil)
            }
            return refused.map { .outcome($0) } ?? .joining(PendingJoining.shared.status)
        } catch is SystemFailure {
            throw PageRequestError("out of resources", status: 503, code: "busy")
        }
    }
}

extension HTTPResponse {
    /// How far a joining is. Its failure is that of its command.
    fileprivate static func joining(_ status: PendingJoining.Status) -> HTTPResponse {
        if let outcome = status.outcome, outcome.exitCode != 0 { return .outcome(outcome) }
        let shown = status.shown.map { "\"\($0)\"" } ?? "null"
        let waits = status.waits.map { "\"\($0.sentence)\"" } ?? "null"
        return .result(
            #"{"running":\#(status.isRunning),"shown":\#(shown),"asks":\#(status.asks),"waits":\#(waits)}"#
        )
    }
}
