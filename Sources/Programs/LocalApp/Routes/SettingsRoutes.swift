internal import Application
internal import HTTPServer
internal import TextCoding

extension PageRoute {
    /// The settings that a page may change. The others name programs, files and databases of this
    /// machine: a script in a page could otherwise run programs and read files.
    static let openSettings: Set = [
        "verification-window", "idle-limit", "absolute-limit", "require-locked-memory",
        "require-rollback-record", "verify-with-fingerprint", "earlier-values", "earlier-days",
        "removed-days", "server", "server-endpoints", "server-client", "scope", "redirect",
        "server-key", "allow-caching-credentials", "offline-limit", "account-notices", "file-sort",
        "file-sizes", "inbox-pictures", "allow-saving", "task-order", "remind-by-default",
        "day-reminder", "clear-after", "snooze", "clear-clipboard-after", "services-secrets",
        "services-git", "services-docker", "theme", "language",
    ]
    /// The setting whose value is a secret. A page gives the value itself, never a file.
    private static let secretSetting = "client-secret"

    static let settings: [PageRoute] = [
        .command("GET", "settings", "settings list"),
        // The meaning of each setting: the words of the command line, as a sentence.
        PageRoute("GET", "settings/help") { _ in
            var json = JSONWriter(CollectedText())
            try json.beginObject()
            for setting in StoredSetting.all {
                let help = setting.setting.help
                try json.member(setting.name, help.prefix(1).uppercased() + help.dropFirst() + ".")
            }
            try json.endObject()
            return .result(String(decoding: try json.finish().bytes, as: UTF8.self))
        },
        PageRoute("POST", "settings", ["name", "value"]) { request in
            guard let name = try request.members.text("name") else {
                throw PageRequestError("name is missing")
            }
            if name == secretSetting {
                let isRemoved = request.members.isNull("value")
                return .outcome(
                    try request.run(
                        ["settings", "set"], operands: [name, isRemoved ? "none" : "-"],
                        input: isRemoved
                            ? nil : CommandInput(lines: ["value"], of: request.members)))
            }
            guard openSettings.contains(name) else {
                throw PageRequestError(
                    "this setting is changed on the command line", status: 403, code: "forbidden")
            }
            return .outcome(
                request.members.isNull("value")
                    ? try request.run("settings unset", [.member("name")], [])
                    : try request.run(
                        "settings set --yes", [.member("name"), .member("value")], []))
        },
    ]
}
