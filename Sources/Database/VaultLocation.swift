internal import Platform

/// Where a vault file lies, after it was made sure that only its owner and the administrator can change what is there.
///
/// The folder's path is resolved first and then checked from the root down: each folder on the way belongs to the user or the
/// administrator, and nobody else may rename or replace what is in it. So nobody else can swap a checked part before a later one is
/// looked at, nor the file between check and use. The vault's own folder has mode 0700. Immutable; thread-safe.
public struct VaultLocation: Sendable {
    /// The folder, absolute and without symbolic links.
    public let folder: String
    /// The name of the file in it.
    public let name: String

    /// The path of the file, absolute and without symbolic links before its last part.
    public var path: String { folder == "/" ? "/" + name : folder + "/" + name }

    /// The names that SQLite gives to files beside the database.
    package static let companionSuffixes = ["-wal", "-shm", "-journal"]

    /// A name that no file has, for one that is not complete yet.
    package static func temporaryName() -> String {
        ".taskvault-" + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Resolves the folder of `path` and checks it, but not the file.
    ///
    /// - Parameter path: The vault file; symbolic links before the last part are followed.
    /// - Throws: ``DatabaseError/notFound`` if there is no such folder, ``DatabaseError/unsafeLocation(path:reason:)`` if it is not safe.
    public init(path: String) throws {
        let (folder, name) = Self.split(path)
        guard !name.isEmpty else { throw DatabaseError.notFound }
        guard !path.utf8.contains(0), name != ".", name != ".." else {
            throw DatabaseError.unsafeLocation(path: path, reason: "not the name of a file")
        }
        self.folder = try Self.resolve(folder)
        self.name = name
        try Self.requireSafeFolder(self.folder)
    }

    /// Makes the folder `path`, and the folders that it lies in, with mode 0700 where they are missing, and checks it.
    ///
    /// The corresponding C function is `mkdir`.
    ///
    /// - Throws: ``DatabaseError/unsafeLocation(path:reason:)`` if it exists and is not safe; what the system says if it cannot be made.
    public static func prepareFolder(at path: String) throws {
        guard !path.utf8.contains(0) else {
            throw DatabaseError.unsafeLocation(path: path, reason: "not the name of a folder")
        }
        try makeFolder(path)
        try requireSafeFolder(try resolve(path))
    }

    private static func makeFolder(_ path: String) throws {
        if unsafe mkdir(path, 0o700) == 0 { return }
        let code = errno
        if code == EEXIST || code == EISDIR { return }
        var parent = path.utf8[...]
        while parent.last == UInt8(ascii: "/") { parent.removeLast() }
        parent = parent[..<(parent.lastIndex(of: UInt8(ascii: "/")) ?? parent.startIndex)]
        // Nothing above is left to make: a relative path in a folder that is gone, or a dangling symbolic link.
        guard code == ENOENT, !parent.isEmpty else {
            throw DatabaseError(systemError: code, operation: "make folder")
        }
        try makeFolder(String(Substring(parent)))
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
            throw DatabaseError(systemError: errno, operation: "make folder")
        }
    }

    /// The part before the last slash, and the part after it.
    ///
    /// By bytes: a slash that an accent follows is no character `/` to Swift, but ends a name for the system.
    package static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let name = String(path[path.utf8.index(after: slash)...])
        return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
    }

    /// The corresponding C function is `realpath`.
    package static func resolve(_ path: String) throws -> String {
        guard let resolved = unsafe realpath(path, nil) else {
            throw DatabaseError(systemError: errno, operation: "resolve path")
        }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
