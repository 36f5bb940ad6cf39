internal import Application
internal import CommandLine
internal import Platform
internal import TextCoding

/// `setup git`: configures git to use the vault.
enum SetupGitCommand: Command {
    static let description = CommandDescription(
        path: ["setup", "git"],
        summary: "make git keep its passwords in the vault",
        options: [.yes],
        notes: [
            """
            The change is shown and made after a question. It adds credential.helper to git's configuration of the user, after the helpers \
            that are there. If git-credential-taskvault is not in PATH, a link to this program is made in ~/.local/bin.
            """
        ],
        examples: [.init("taskvault setup git", "show the change, ask, make it")],
        exitCodes: [.refused, .noProgram])

    static func run(_ context: CommandContext) throws {
        let words = ["config", "--global"]
        let helper = helper(context)
        let found = try git(words + ["--get-all", "credential.helper"], allowing: 1)
        let helpers = found.split(separator: "\n").map(String.init)
        let link = try HelperLink(.git, context)
        var changes = link.changes
        let isSet = helpers.contains { $0 == helper }
        if !isSet {
            changes.append("git config --global --add credential.helper \(ShellText.quote(helper))")
        }
        if let first = helpers.first, !isSet {
            context.console.notices.warn(
                "other_helper",
                "git asks its helper '\(first)' first, and stores passwords there, too")
        }
        try link.requireWritable()
        try context.setUp(changes, for: "git") {
            // First, because git may not be able to change its file.
            if !isSet { _ = try git(words + ["--add", "credential.helper", helper]) }
            try link.make()
        }
    }

    /// The value of the setting. Git runs `git credential-taskvault` with the text after the name.
    private static func helper(_ context: CommandContext) -> String {
        guard let home = context.invocation.text(of: .home) else { return "taskvault" }
        return "taskvault --home " + ShellText.quote(FileSystem.absolute(home))
    }

    /// Runs git.
    ///
    /// - Parameters:
    ///   - words: Its arguments.
    ///   - code: Another exit code that is no failure.
    /// - Returns: The output of git.
    /// - Throws: A failure if git is missing, or ends with another code.
    private static func git(_ words: [String], allowing code: Int32 = 0) throws -> String {
        guard let path = Executable.path(of: "git") else {
            throw Failure(
                .noProgram, "there is no git in /usr/bin or /usr/local/bin", hint: "install git")
        }
        let said = try SystemPipe()
        let explained = try SystemPipe()
        let process = try ChildProcess.start(
            [path] + words, output: said.writer, errors: explained.writer)
        said.closeWriter()
        explained.closeWriter()
        let output = said.readAll()
        let errors = String(decoding: explained.readAll(), as: UTF8.self)
        let exitCode = process.wait().exitCode
        guard exitCode == 0 || exitCode == code else {
            let reason = errors.split(separator: "\n").last.map { ": \($0)" } ?? ""
            throw Failure(
                .failure, code: "git", "git \(words.joined(separator: " ")) failed\(reason)",
                hint: words.contains("--add")
                    ? "add it where git's configuration is made: [credential] helper = \(words.last ?? "")"
                    : "look at the configuration: git config --global --list")
        }
        return String(decoding: output, as: UTF8.self)
    }
}

/// `setup docker`: configures Docker to use the vault.
enum SetupDockerCommand: Command {
    static let description = CommandDescription(
        path: ["setup", "docker"],
        summary: "make docker keep its passwords in the vault",
        options: [.yes],
        notes: [
            """
            The change is shown and made after a question. It sets credsStore in docker's config.json and leaves everything else as it is. \
            If docker-credential-taskvault is not in PATH, a link to this program is made in ~/.local/bin. Passwords that are in the file stay there \
            until docker logout.
            """,
            """
            Podman and skopeo use the same link after a line credential-helpers = ["taskvault"] in ~/.config/containers/registries.conf.
            """,
        ],
        examples: [.init("taskvault setup docker", "show the change, ask, make it")],
        exitCodes: [.refused])

    static func run(_ context: CommandContext) throws {
        guard context.invocation.text(of: .home) == nil else {
            throw Failure.usage(
                "docker cannot be told a folder", hint: "set TASKVAULT_HOME where docker is run")
        }
        let environment = context.console.surroundings.environment
        guard
            let folder = environment["DOCKER_CONFIG"]
                ?? environment["HOME"].map({ $0 + "/.docker" })
        else {
            throw Failure.usage("no home folder is known", hint: "set HOME")
        }
        let file = try DockerConfiguration(folder: folder, context.console)
        try file.requireWritable()
        let link = try HelperLink(.docker, context)
        var changes = link.changes
        if let change = file.change { changes.append("\(file.path): \(change)") }
        try link.requireWritable()
        try context.setUp(changes, for: "docker") {
            try link.make()
            try file.write()
        }
    }
}

extension CommandContext {
    /// Shows changes, and makes them after a confirmation.
    fileprivate func setUp(_ changes: [String], for program: String, _ make: () throws -> Void)
        throws
    {
        guard !changes.isEmpty else {
            return try report(changes, "\(program) uses the vault already")
        }
        if !console.isJSON { for change in changes { try console.printLine(change) } }
        try console.requireConsent(to: "set up \(program)") { terminal in
            try terminal.confirm("Make this change?")
        }
        try make()
        try report(changes, "\(program) keeps its passwords in the vault")
    }

    private func report(_ changes: [String], _ line: String) throws {
        guard console.isJSON else { return try console.printLine(line) }
        try console.printJSON { json in
            try json.beginObject()
            try json.key("changes")
            try json.beginArray()
            for change in changes { try json.string(change) }
            try json.endArray()
            try json.endObject()
        }
    }
}

/// The link through which a program finds this executable.
private struct HelperLink {
    private let name: HelperName
    private let path: String?
    private let target: String

    /// Searches for the name in `PATH`.
    init(_ name: HelperName, _ context: CommandContext) throws {
        self.name = name
        let environment = context.console.surroundings.environment
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        target = try SafeFolder.resolve(Executable.own())
        let isFound = folders.contains { FileSystem.exists($0 + "/" + name.rawValue) }
        guard !isFound, let home = environment["HOME"] else {
            path = nil
            return
        }
        let folder = home + "/.local/bin"
        path = folder + "/" + name.rawValue
        if !folders.contains(folder) {
            context.console.notices.warn(
                "not_in_path", "\(folder) is not in PATH: \(name.rawValue) is not found there")
        }
    }

    /// The descriptions of the planned changes.
    var changes: [String] {
        guard let path, !FileSystem.exists(path) else { return [] }
        return ["\(path): a link to \(target)"]
    }

    /// Fails if the link cannot be made.
    func requireWritable() throws {
        guard let path, !FileSystem.exists(path),
            let failure = FileSystem.creationPermissionFailure(path)
        else { return }
        throw unwritable(failure, path)
    }

    func make() throws {
        guard let path, !FileSystem.exists(path) else { return }
        do {
            try SafeFolder.create(SafeFolder.split(path).folder)
            guard unsafe symlink(target, path) == 0 else { throw SystemFailure.last("symlink") }
        } catch let failure as SystemFailure {
            throw unwritable(failure, path)
        }
    }

    private func unwritable(_ failure: SystemFailure, _ path: String) -> Failure {
        Failure(
            .failure, code: "cannot_write",
            "cannot make the link \(path): \(failure.explanation)",
            hint:
                "make it in a folder of PATH: sudo ln -s \(ShellText.quote(target)) /usr/local/bin/\(name.rawValue)"
        )
    }
}
