internal import Platform
internal import Sync

/// A folder below a folder that another program may copy. Links below the chosen folder are not followed, and no file is ever overwritten.
struct RemoteFolder: Sendable {
    /// The chosen folder.
    private let root: String
    /// The names of the folders below it.
    private let names: [String]
    /// The name of a file that is not complete yet. A killed process may leave it, and the next file replaces it.
    private let temporaryName: String

    /// - Parameters:
    ///   - root: The chosen folder.
    ///   - names: The names of the folders below it.
    ///   - temporaryName: The name of a file that is not complete yet. No two devices may write under one in the same folder.
    init(at root: String, _ names: [String], temporaryName: String) {
        self.root = root
        self.names = names
        self.temporaryName = temporaryName
    }

    /// All names in the folder, ascending; none if it does not exist.
    func contents() throws(RemoteFailure) -> [String] {
        try Self.translating(root) {
            guard try open() != nil else { return [] }
            return try FileSystem.names(in: ([root] + names).joined(separator: "/"))
        }
    }

    /// The content of a regular file within a limit; nil for anything else, such as a device, a pipe or a link.
    func content(_ name: String, limit: Int) throws(RemoteFailure) -> [UInt8]? {
        try Self.translating(root) {
            guard let folder = try open() else { return nil }
            return try Self.content(name, in: folder, limit: limit)
        }
    }

    /// Creates a file under another name, syncs and renames it.
    ///
    /// - Returns: ``PutResult/occupied(_:)`` also for something that is no regular file within the limit.
    func put(
        _ bytes: [UInt8], as name: String, limit: Int
    ) throws(RemoteFailure) -> PutResult {
        try Self.translating(root) {
            guard let folder = try open(creating: true) else {
                throw SystemFailure("open", code: ENOENT)
            }
            if try FileStatus.of(name, in: folder) == nil {
                do {
                    try write(bytes, as: name, in: folder)
                    return .stored
                } catch let failure as SystemFailure where failure.code == EEXIST {
                    // Another process of this device, or the program that copies the folder, was faster.
                }
            }
            let present = try Self.content(name, in: folder, limit: limit)
            return present == bytes ? .present : .occupied(present ?? [])
        }
    }

    /// Deletes a file, if it is there.
    func delete(_ name: String) throws(RemoteFailure) {
        try Self.translating(root) {
            guard let folder = try open() else { return }
            guard unsafe unlinkat(folder.number, name, 0) == 0 || errno == ENOENT else {
                throw SystemFailure.last("unlink")
            }
        }
    }

    private static func content(
        _ name: String, in folder: borrowing FileDescriptor, limit: Int
    ) throws -> [UInt8]? {
        // The kind is checked before, because opening a device can have effects, and after, because the name may have changed.
        guard try FileStatus.of(name, in: folder)?.isRegularFile == true else { return nil }
        guard
            let file = try open(name, in: folder, O_RDONLY, unless: [ENOENT, ELOOP, EACCES])
        else { return nil }
        let status = try FileStatus.of(file)
        guard status.isRegularFile, status.size <= limit else { return nil }
        return try file.bytes(at: 0, count: Int(status.size))
    }

    private func write(
        _ bytes: [UInt8], as name: String, in folder: borrowing FileDescriptor
    ) throws {
        _ = unsafe unlinkat(folder.number, temporaryName, 0)
        let file = try FileDescriptor(
            temporaryName, in: folder, flags: O_WRONLY | O_CREAT | O_EXCL)
        do {
            try file.append(bytes)
            try file.sync()
            try folder.rename(temporaryName, to: name)
        } catch {
            _ = unsafe unlinkat(folder.number, temporaryName, 0)
            throw error
        }
        try folder.sync()
    }

    /// Opens the folder; nil if there is none.
    private func open(creating isCreating: Bool = false) throws -> FileDescriptor? {
        var folder = try FileDescriptor(folder: try SafeFolder.resolve(root))
        for name in names {
            if isCreating { try Self.create(name, in: folder) }
            guard
                let next = try Self.open(name, in: folder, O_RDONLY | O_DIRECTORY, unless: [ENOENT])
            else { return nil }
            folder = next
        }
        return folder
    }

    private static func create(_ name: String, in parent: borrowing FileDescriptor) throws {
        if unsafe mkdirat(parent.number, name, 0o700) == 0 { return try parent.sync() }
        guard errno == EEXIST else { throw SystemFailure.last("mkdir") }
    }

    /// Opens a name; nil for some errors.
    private static func open(
        _ name: String, in folder: borrowing FileDescriptor, _ flags: Int32, unless codes: [Int32]
    ) throws -> FileDescriptor? {
        do {
            return try FileDescriptor(name, in: folder, flags: flags)
        } catch let failure as SystemFailure where codes.contains(failure.code) {
            return nil
        }
    }

    static func translating<Result: ~Copyable>(
        _ path: String, _ body: () throws -> Result
    ) throws(RemoteFailure) -> Result {
        do {
            return try body()
        } catch let failure as SystemFailure {
            throw RemoteFailure(path, failure.explanation)
        } catch {
            throw RemoteFailure(path, "\(error)")
        }
    }
}
