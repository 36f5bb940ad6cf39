internal import CommandLine
internal import Database
internal import Platform
internal import Tasks
internal import TextCoding
internal import VaultAgent
internal import VaultCore

extension OpenStore {
    /// The files of the vault.
    var files: any FileStore {
        if let agent { return AgentFiles(agent) }
        guard let vault = secrets as? UnlockedVault else {
            preconditionFailure("a vault without an agent is open in this process")
        }
        return VaultFiles(vault)
    }
}

extension CommandContext {
    /// The file that the operand NAME names.
    func file(in files: any FileStore) throws -> StoredFile {
        try file(named: invocation.text(of: .file), in: files)
    }

    /// The file of a name, which is the subject of errors from now on.
    func file(named name: String, in files: any FileStore) throws -> StoredFile {
        about.file = name
        return try files.file(named: name)
    }

    /// The file, protected if its task is.
    func protectedAsItsTask(
        _ file: StoredFile, in files: any FileStore
    ) throws -> StoredFile {
        guard !file.isProtected, isTaskProtected(of: file) else { return file }
        return try files.edit(file.id, FileEdit(isProtected: true))
    }

    /// Whether a file belongs to a protected task.
    func isTaskProtected(of file: StoredFile) -> Bool {
        guard let task = file.task else { return false }
        // Without its list a task protects nothing.
        return (try? tasks.withTasks(.reading) { try $0.list.find(task).isProtected }) ?? false
    }

    /// Removes old chunks that nothing names, as an agent does after each unlock.
    func sweep(_ store: OpenStore) {
        if store.agent == nil, let vault = store.secrets as? UnlockedVault {
            _ = try? VaultFiles(vault).sweep()
        }
    }

    /// Warns, once, if the disk of the vault is nearly full.
    ///
    /// - Parameter leastSize: The size from which a vault counts, in bytes.
    func warnOfFullDisk(leastSize: Int64 = 0) {
        guard (try? vault.source().isFile) == true,
            FileSystem.size(folders.file) ?? 0 >= leastSize,
            let (total, free) = try? FileSystem.space(folders.file)
        else { return }
        let use = DiskUse(total: total, free: free)
        guard use.isNearlyFull else { return }
        console.notices.warn(
            "disk_nearly_full",
            "the disk of the vault is nearly full: \(byteText(use.free)) of \(byteText(use.total)) are free"
        )
    }
}

extension StoredFile {
    /// A public name that hides nothing of the text: quoted for a shell.
    var typed: String { ShellText.quote(name) }

    /// Size and type, for a report.
    var summary: String { "\(byteText(size)), \(mediaType)" }

    /// Prints what was done to the file: a line, or its description in JSON.
    func report(_ done: String, on console: Console) throws {
        guard console.isJSON else {
            return try console.printLine("\(done) \(typed) (\(summary))")
        }
        try console.printJSON { json in try json.file(self) }
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes a file as an object.
    mutating func file(_ file: StoredFile, members: (inout Self) throws -> Void = { _ in }) throws {
        try beginObject()
        try member("id", file.id)
        try member("name", file.name)
        try member("size", file.size)
        try member("media_type", file.mediaType)
        try member("width", file.pixels?.width)
        try member("height", file.pixels?.height)
        try member("protected", file.isProtected)
        try member("task", file.task)
        try member("added", milliseconds: file.added)
        try member("modified", milliseconds: file.modified)
        try member("revision", file.revision)
        try members(&self)
        try endObject()
    }

    /// Writes files as an array.
    mutating func files(_ files: [StoredFile]) throws {
        try beginArray()
        for file in files { try self.file(file) }
        try endArray()
    }
}

extension OperandDescription {
    /// Which file.
    static let file = OperandDescription(
        "NAME", .stored(.file), "the name of the file in the vault")
    /// Which files.
    static let files = OperandDescription(
        "NAME", .stored(.file), "the names of the files in the vault", count: 1...1_000)
}
