internal import Application
internal import CommandLine
internal import TextCoding
internal import VaultAgent
internal import VaultCore

// Files of the vault as operands and results of commands.
extension CommandContext {
    /// The file that the operand NAME names.
    func file(in files: any FileStore) throws -> StoredFile {
        try application.file(named: invocation.text(of: .file), in: files)
    }

    /// Brings the content of a file to this machine, if another one added it.
    func fetch(_ file: StoredFile, revision: UInt64?, _ store: OpenStore) throws {
        var progress = TransferProgress(
            "fetching \(file.name)", of: file.size, descriptor: console.surroundings.errors)
        try application.sync.fetch(file, revision: revision, store) { progress.add($0) }
    }
}

extension StoredFile {
    /// Prints the result for the file: a line, or its description in JSON.
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
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - elsewhere: The ids of those whose content is not on this machine.
    /// - Throws: The errors of the output.
    mutating func files(_ files: [StoredFile], elsewhere: Set<String> = []) throws {
        try beginArray()
        for file in files {
            try self.file(file) { json in
                if elsewhere.contains(file.id) { try json.member("here", false) }
            }
        }
        try endArray()
    }
}

extension OperandDescription {
    static let file = OperandDescription(
        "NAME", .stored(.file), "the name of the file in the vault, or its id")
    static let files = OperandDescription(
        "NAME", .stored(.file), "the names of the files in the vault, or their ids",
        count: 1...1_000)
}
