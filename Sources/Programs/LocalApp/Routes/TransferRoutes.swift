internal import Application
internal import HTTPServer
internal import Platform
internal import TextCoding

extension PageRoute {
    /// Imports, exports and backups. Like *Download*, they write new files into the download folder; a page names none.
    static let transfers: [PageRoute] = [
        // The file follows as an upload, so its plaintext is not written to disk.
        PageRoute("POST", "imports", ["tasks", "format", "dry_run", "replace", "class"]) {
            request in
            let members = request.members
            var words = try members.flag("tasks") ? ["task", "import"] : ["secret", "import"]
            for option in ["format", "class"] {
                if let text = try members.text(option) { words.append("--\(option)=" + text) }
            }
            if try members.flag("dry_run") { words.append("--dry-run") }
            if try members.flag("replace") { words.append("--replace") }
            return .result(#"{"upload":"\#(try request.uploads.begin(words, ["-"]))"}"#)
        },
        PageRoute("POST", "secrets/export", ["format", "passphrase"]) { request in
            let wanted = try request.members.text("format")
            let format = ["csv", "keepassxc"].first { $0 == wanted } ?? "json"
            return .outcome(
                try request.run(
                    "secret export --format=" + format, [],
                    [.required("passphrase", announced: ["--passphrase-file=-"])],
                    writing: "taskvault-secrets." + (format == "keepassxc" ? "xml" : format)))
        },
        PageRoute("POST", "tasks/export", ["format"]) { request in
            let format = try request.members.text("format") ?? "taskvault"
            let ending = ["todo.txt": "txt", "icalendar": "ics"][format] ?? "json"
            return .outcome(
                try request.run(
                    "task export", [], [.text("format")], writing: "taskvault-tasks." + ending))
        },
        // A backup is uploaded, and then restored by its passphrase; a second line is the vault's, if that is another one.
        PageRoute("POST", "restore/upload") { request in
            .result(
                #"{"upload":"\#(try request.uploads.begin(writing: try request.uploadedBackup()))"}"#
            )
        },
        PageRoute("POST", "restore", ["passphrase", "vault_passphrase", "replace", "new_lineage"]) {
            request in
            let path = try request.uploadedBackup()
            let restored = try request.run(
                "restore", [],
                [
                    .flag("replace"), .flag("new_lineage"),
                    .required("passphrase", announced: ["--passphrase-file=-"]),
                    .line("vault_passphrase"),
                ], more: [path])
            // One that was mistyped is tried again without another upload.
            if restored.exitCode == 0 { try? FileSystem.remove(path) }
            return .outcome(restored)
        },
        PageRoute("POST", "backup") { request in
            let day = Timestamp.rfc3339(milliseconds: PointInTime.now.milliseconds).prefix(10)
            let path = DownloadFolder(request.runner.environment)
                .freePath("taskvault-\(day).backup")
            return .outcome(try request.run(["backup"], operands: [path]))
        },
    ]
}

extension AppRequest {
    /// The path of the backup that a page has uploaded.
    fileprivate func uploadedBackup() throws -> String {
        guard let state = StandardFolders(runner.environment).state else {
            throw PageRequestError("no folder for the state is known", code: "cannot_write")
        }
        do {
            try SafeFolder.create(state + "/taskvault-app")
        } catch {
            throw PageRequestError("the backup cannot be written", code: "cannot_write")
        }
        return state + "/taskvault-app/backup"
    }

    /// Runs a command that writes a new file into the download folder.
    fileprivate func run(
        _ command: String, _ operands: [PageRoute.Operand], _ parts: [PageRoute.Part],
        writing name: String
    ) throws -> OperationOutcome {
        let path = DownloadFolder(runner.environment).freePath(name)
        return try run(command, operands, parts, options: ["--output=" + path])
    }
}
