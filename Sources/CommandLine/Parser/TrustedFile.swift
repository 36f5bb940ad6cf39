internal import Platform
package import SecretMemory

/// A file that says what a program does: read only if nobody but its owner, who is this user or the administrator, can have written it.
package struct TrustedFile: ~Copyable {
    /// Why a file is not read.
    package enum Failure: Error, Sendable, Hashable {
        /// There is none.
        case missing
        /// The system does not let it be read.
        case system(SystemFailure)
        /// It is not to be used as it is.
        case refused(reason: String)
    }

    /// The content.
    package let content: SecretBytes
    /// Whether users can read it who are neither the owner nor in the file's group.
    package let isReadableByOthers: Bool

    /// Reads a file.
    ///
    /// The corresponding C functions are `open`, `fstat` and `read`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The largest size, in bytes.
    ///   - followingLinks: Whether the path may be a symbolic link.
    /// - Throws: Why not.
    package init(
        _ path: String, limit: Int, followingLinks: Bool = false
    ) throws(Failure) {
        let links = followingLinks ? 0 : O_NOFOLLOW
        let descriptor = unsafe platform_open(path, O_RDONLY | O_NONBLOCK | links, 0)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { throw .missing }
            throw .system(SystemFailure("open", code: errno))
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw .system(SystemFailure("fstat", code: errno))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .refused(reason: "it is no file") }
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
            throw .refused(reason: "others may write it")
        }
        content = try Self.read(descriptor, limit: limit)
        isReadableByOthers = status.st_mode & S_IROTH != 0
    }

    private static func read(_ descriptor: Int32, limit: Int) throws(Failure) -> SecretBytes {
        do throws(InputError) {
            return try SecretInput(descriptor: descriptor).readAll(limit: limit)
        } catch {
            if case .failed(let failure) = error { throw .system(failure) }
            throw .refused(reason: "it is larger than \(limit) bytes")
        }
    }

    /// The content as text.
    package borrowing func text() throws(Failure) -> String {
        guard let text = content.withBytes({ $0.text() }) else {
            throw .refused(reason: "it is not UTF-8")
        }
        return text
    }
}
