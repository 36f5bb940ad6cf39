internal import Platform

/// The location of a vault file that only its owner and the administrator can change.
///
/// The folder's path is resolved and then checked, starting at the root. Each folder must belong to the user or the administrator.
/// Other users must not be able to rename or replace its entries. So other users cannot exchange a checked folder, or the file between
/// check and use. The vault's own folder has mode 0700. Immutable; thread-safe.
public struct VaultLocation: Sendable {
    /// The folder, absolute and without symbolic links.
    public let folder: String
    /// The name of the file in it.
    public let name: String

    /// The path of the file, absolute and without symbolic links before its last part.
    public var path: String { folder == "/" ? "/" + name : folder + "/" + name }

    /// The suffixes of the files that SQLite creates beside the database.
    package static let companionSuffixes = ["-wal", "-shm", "-journal"]

    /// An unused name for an incomplete file.
    package static func temporaryName() -> String {
        ".taskvault-" + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Resolves and checks the folder of `path`, but not the file.
    ///
    /// - Parameter path: The vault file; symbolic links before the last part are followed.
    /// - Throws: ``DatabaseError/notFound`` if the folder does not exist; ``DatabaseError/unsafeLocation(path:reason:)`` if it is not safe.
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

    /// Creates the folder `path` and its missing parent folders, with mode 0700, and checks it.
    ///
    /// The corresponding C function is `mkdir`.
    ///
    /// - Throws: ``DatabaseError/unsafeLocation(path:reason:)`` if it exists and is not safe; the system's error if it cannot be created.
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
        // No parent is left to create: the path is relative to a deleted folder, or contains a dangling symbolic link.
        guard code == ENOENT, !parent.isEmpty else {
            throw DatabaseError(systemError: code, operation: "make folder")
        }
        try makeFolder(String(Substring(parent)))
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
            throw DatabaseError(systemError: errno, operation: "make folder")
        }
    }

    /// Splits a path at the last slash.
    ///
    /// Splits by bytes: in Swift a slash with a combining accent is not the character `/`, but the system treats it as a separator.
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
