internal import Platform

/// Why the system refuses access to a file or folder. A database reports such a refusal as read-only.
package enum FileRefusal {
    /// Why this process has no permission to read a file; nil for a readable or missing file.
    ///
    /// The corresponding C function is `faccessat` with `AT_EACCESS`.
    package static func reading(_ path: String) -> SystemFailure? {
        guard unsafe faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0 else { return nil }
        let failure = SystemFailure.last("faccessat")
        return [EACCES, EPERM].contains(failure.code) ? failure : nil
    }

    /// Why this process cannot create an entry in the nearest existing folder above a path; nil if it can.
    ///
    /// The corresponding C function is `faccessat` with `AT_EACCESS`.
    package static func creating(_ path: String) -> SystemFailure? {
        var folder = path.utf8[...]
        repeat {
            while folder.last == UInt8(ascii: "/") { folder.removeLast() }
            let slash = folder.lastIndex(of: UInt8(ascii: "/"))
            let parent = slash.map { folder[...$0] } ?? ".".utf8[...]
            if unsafe faccessat(AT_FDCWD, String(Substring(parent)), W_OK | X_OK, AT_EACCESS) == 0 {
                return nil
            }
            let failure = SystemFailure.last("faccessat")
            guard failure.code == ENOENT, slash != nil else { return failure }
            folder = parent
        } while folder.count > 1
        return nil
    }
}

extension CommandFailure {
    /// Explains that this process has no permission to read a file; nil for any other file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - title: The name of the file in messages.
    package init?(unreadable path: String, named title: String) {
        guard let refusal = FileRefusal.reading(path) else { return nil }
        self.init(
            .failure, code: "cannot_read", "cannot read \(title): \(refusal.explanation)",
            hint: "check the permissions of the file and its folder")
    }
}
