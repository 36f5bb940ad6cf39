internal import CommandLine
internal import HTTPServer
internal import Platform
internal import Application
internal import TextCoding

extension PageRoute {
    private static let name: [Operand] = [.member("name")]
    /// The maximum size of content for a page, in bytes. The page keeps it in memory.
    private static let largestContent = 64 << 20

    /// The routes of the screen of files. A file's name is in the body or the query, never in the path.
    static let files: [PageRoute] = [
        .command("GET", "files", "file list", [], [.text("sort")]),
        .command("GET", "files/removed", "file list --removed"),
        .command("POST", "files/show", "file show", name),
        PageRoute("GET", "files/content", ["name", "revision"]) { request in
            guard let name = try request.members.text("name") else {
                throw PageRequestError("name is missing")
            }
            let about = try request.run(["file", "show"], operands: [name])
            guard about.exitCode == 0 else { return .outcome(about) }
            guard PrintedMember.number("size", in: about.output) ?? 0 <= largestContent else {
                throw PageRequestError("the file is too large for a page", code: "too_large")
            }
            var words = ["file", "get", "--output=-"]
            if let revision = try request.members.text("revision") {
                words.append("--revision=" + revision)
            }
            let content = try request.run(words, operands: [name], asJSON: false)
            guard content.exitCode == 0 else {
                // The second run prints the error message as JSON.
                return .outcome(try request.run(words, operands: [name]))
            }
            return .content(
                content.output, PrintedMember.text("media_type", in: about.output))
        },
        PageRoute("POST", "files/save", ["name"]) { request in
            guard let name = try request.members.text("name") else {
                throw PageRequestError("name is missing")
            }
            let path = DownloadFolder(request.runner.environment).freePath(name)
            return .outcome(
                try request.run(["file", "get", "--output=" + path], operands: [name]))
        },
        .command("POST", "files/rename", "file rename", name + [.member("new")]),
        .command("POST", "files/protect", "file protect", name),
        .command("POST", "files/unprotect", "file unprotect", name),
        .command("POST", "files/attach", "file attach", name + [.member("task")]),
        .command("POST", "files/detach", "file detach", name),
        .command(
            "POST", "files/remove", "file remove --yes", [.members("names")],
            [.flag("permanently")]),
        .command(
            "POST", "files/restore", "file restore", name,
            [.text("revision"), .text("id"), .text("new_name", as: "name")]),
        PageRoute("POST", "uploads", ["name", "size", "protected", "task", "replace"]) { request in
            let members = request.members
            guard let name = try members.text("name"), let size = try members.text("size") else {
                throw PageRequestError("name or size is missing")
            }
            var words =
                try members.flag("replace") ? ["file", "replace", "--yes"] : ["file", "add"]
            words.append("--size=" + size)
            var operands = ["-"]
            if try members.flag("replace") {
                operands = [name, "-"]
            } else {
                words.append("--name=" + name)
                if try members.flag("protected") { words.append("--protected") }
                if !members.isNull("task"), let task = try members.text("task") {
                    words.append("--task=" + task)
                }
            }
            let id = try request.uploads.begin(words, operands)
            return .result(#"{"upload":"\#(id)"}"#)
        },
        PageRoute("POST", "uploads/{id}/finish") { request in
            guard let outcome = request.uploads.finish(request.parameters["id"] ?? "") else {
                throw PageRequestError.noUpload
            }
            return .report(outcome)
        },
        PageRoute("DELETE", "uploads/{id}") { request in
            request.uploads.cancel(request.parameters["id"] ?? "")
            return .result("null")
        },
    ]
}

extension PageRequestError {
    static let noUpload = PageRequestError(
        "there is no such upload", status: 404, code: "not_found")
}
