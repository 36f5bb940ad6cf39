internal import HTTPServer
internal import Application
internal import TextCoding

extension PageRoute {
    private static let checklist = Operand.path("id")

    /// The inbox and its messages.
    static let inbox: [PageRoute] = [
        .command("GET", "inbox", "inbox list", [], [.flag("kept")]),
        .command("GET", "inbox/{id}", "inbox show", [.path("id")]),
        PageRoute("GET", "inbox/{id}/picture", ["private_network"]) { request in
            let id = request.parameters["id"] ?? ""
            let words =
                ["inbox", "picture"]
                + (try request.members.flag("private_network") ? ["--private-network"] : [])
            // The first call loads and stores the picture, and prints its media type.
            let about = try request.run(words, operands: [id])
            guard about.exitCode == 0 else { return .outcome(about) }
            let picture = try request.run(words, operands: [id], asJSON: false)
            guard picture.exitCode == 0 else {
                return .outcome(try request.run(words, operands: [id]))
            }
            return .content(picture.output, PrintedMember.text("media_type", in: about.output))
        },
        .command("POST", "inbox/accept", "inbox accept", [.members("ids")]),
        .command("POST", "inbox/decline", "inbox decline", [.members("ids")]),
        .command("POST", "inbox/remove", "inbox remove --yes", [.members("ids")]),
        .command("POST", "inbox/clear", "inbox clear --yes"),
        .command("GET", "inbox-status", "inbox status"),
        .command("POST", "inbox-enable", "inbox enable"),
        .command("POST", "inbox-disable", "inbox disable --yes", [], [.flag("everywhere")]),
        .command("GET", "senders", "inbox senders"),
        .command("POST", "senders", "inbox address", [], [.text("name", as: "for")]),
        .command("POST", "senders/revoke", "inbox revoke", [.member("name")]),
        .command("POST", "qr", "qr-code", [], [.required("text")]),
    ]

    static let checklists: [PageRoute] = [
        .command("GET", "checklists", "checklist list"),
        .command("GET", "checklists/saved", "checklist list --saved"),
        .command("GET", "checklists/{id}", "checklist show", [checklist]),
        .command("POST", "checklists/{id}/save", "checklist save", [checklist]),
        .command("POST", "checklists/{id}/remove", "checklist remove", [checklist]),
        .command(
            "POST", "checklists/{id}/start", "checklist start", [checklist], [.text("list")]),
    ]
}

extension HTTPResponse {
    /// The media types that a page can show. Markup and scripts are excluded.
    private static let shown = ["image/", "video/", "audio/", "application/pdf", "text/plain"]

    /// The response with the content of a file or picture.
    static func content(_ bytes: [UInt8], _ mediaType: String?) -> HTTPResponse {
        let type = mediaType ?? ""
        let isShown = shown.contains { type.hasPrefix($0) } && !type.hasPrefix("image/svg")
        return page(200, isShown ? type : "application/octet-stream", bytes)
    }
}

/// A member of a JSON object that a command printed.
enum PrintedMember {
    /// A string; nil if it is missing or null.
    static func text(_ name: String, in json: [UInt8]) -> String? {
        let bytes = unsafe json.span.bytes
        return JSONObject(bytes)?.text(name, in: bytes)
    }

    /// A number; nil if it is missing or null.
    static func number(_ name: String, in json: [UInt8]) -> Int64? {
        let bytes = unsafe json.span.bytes
        return JSONObject(bytes)?.number(name, in: bytes)
    }
}
