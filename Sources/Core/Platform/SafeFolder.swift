/// A file or folder that a program must not use, because of its kind, owner or permissions.
package struct UnusableFile: Error, Sendable, Hashable {
    /// The path.
    package let path: String
    /// The reason, such as `owned by another user`.
    package let reason: String

    /// Creates an error from the path and the reason.
    package init(_ path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }
}

/// Folders whose entries only this user and the administrator can change.
package enum SafeFolder {
    /// Creates a folder and its missing parent folders, with mode 0700. An existing folder is not checked.
    ///
    /// The corresponding C function is `mkdir`.
    ///
    /// - Throws: ``SystemFailure``.
    package static func create(_ path: String) throws {
        if unsafe mkdir(path, 0o700) == 0 { return }
        let code = errno
        if code == EEXIST || code == EISDIR { return }
        var parent = path.utf8[...]
        while parent.last == UInt8(ascii: "/") { parent.removeLast() }
        parent = parent[..<(parent.lastIndex(of: UInt8(ascii: "/")) ?? parent.startIndex)]
        // No parent can be created: the path is relative to a deleted folder, or contains a dangling symbolic link.
        guard code == ENOENT, !parent.isEmpty else { throw SystemFailure("mkdir", code: code) }
        try create(String(Substring(parent)))
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw SystemFailure.last("mkdir") }
    }

    /// The path without symbolic links, `.` and `..`. The corresponding C function is `realpath`.
    ///
    /// - Throws: ``SystemFailure``.
    package static func resolve(_ path: String) throws -> String {
        guard let resolved = unsafe realpath(path, nil) else {
            throw SystemFailure.last("realpath")
        }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The absolute path of a file, without symbolic links in its folders, `.` and `..`; folders that do not exist are kept unchanged.
    ///
    /// - Throws: ``SystemFailure``.
    package static func resolveExistingPart(_ path: String) throws -> String {
        let (folder, name) = split(path)
        do {
            let resolved = try resolve(folder)
            return resolved == "/" ? "/" + name : resolved + "/" + name
        } catch let failure as SystemFailure where failure.code == ENOENT && folder != "/" {
            return try resolveExistingPart(folder) + "/" + name
        }
    }

    /// Checks a resolved folder and all its parent folders, starting at the root.
    ///
    /// - Throws: ``UnusableFile``; ``SystemFailure``, with `ENOENT` for a missing folder.
    package static func require(_ folder: String) throws {
        try requireAncestor("/")
        // Compare bytes, as the system does: see `split`.
        for index in folder.utf8.indices.dropFirst() where folder.utf8[index] == UInt8(ascii: "/") {
            try requireAncestor(String(folder[..<index]))
        }
        let status = try existing(folder)
        if !status.isFolder { throw UnusableFile(folder, "not a folder") }
        if status.owner != geteuid() { throw UnusableFile(folder, "owned by another user") }
        if status.isOpenToOthers { throw UnusableFile(folder, "accessible to other users") }
    }

    private static func requireAncestor(_ path: String) throws {
        let status = try existing(path)
        if !status.isFolder { throw UnusableFile(path, "not a folder") }
        if status.owner != 0 && status.owner != geteuid() {
            throw UnusableFile(path, "owned by another user")
        }
        if status.allowsOthersToChangeEntries {
            throw UnusableFile(path, "writable by other users")
        }
    }

    private static func existing(_ path: String) throws -> FileStatus {
        guard let status = try FileStatus.of(path: path) else {
            throw SystemFailure("stat", code: ENOENT)
        }
        return status
    }

    /// Splits a path at the last slash.
    ///
    /// Splits by bytes: in Swift, a slash with a combining accent is not the character `/`, but the system treats it as a separator.
    package static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let name = String(path[path.utf8.index(after: slash)...])
        return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
    }
}
