internal import Platform
package import SecretMemory

/// A configuration file: trusted only if its owner is this user or root, and other users cannot write it.
package struct TrustedFile: ~Copyable {
    /// The content.
    package let content: SecretBytes
    /// Whether users other than the owner and the file's group can read it.
    package let isReadableByOthers: Bool
    private let path: String

    /// Reads a file.
    ///
    /// The corresponding C functions are `open`, `fstat` and `read`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The largest size, in bytes.
    ///   - followingLinks: Whether the path may be a symbolic link.
    /// - Throws: ``SystemFailure``, with `ENOENT` or `ENOTDIR` for a missing file; ``UnusableFile``.
    package init(
        _ path: String, limit: Int, followingLinks: Bool = false
    ) throws {
        let links = followingLinks ? 0 : O_NOFOLLOW
        let descriptor = unsafe platform_open(path, O_RDONLY | O_NONBLOCK | links, 0)
        guard descriptor >= 0 else { throw SystemFailure.last("open") }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemFailure.last("fstat") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw UnusableFile(path, "it is not a file")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
            throw UnusableFile(path, "other users can write it")
        }
        content = try Self.read(path, descriptor, limit: limit)
        self.path = path
        isReadableByOthers = status.st_mode & S_IROTH != 0
    }

    private static func read(
        _ path: String, _ descriptor: Int32, limit: Int
    ) throws -> SecretBytes {
        do {
            return try SecretInput(descriptor: descriptor).readAll(limit: limit)
        } catch InputError.failed(let failure) {
            throw failure
        } catch InputError.tooLong {
            throw UnusableFile(path, "it is larger than \(limit) bytes")
        }
    }

    /// The content as text.
    package borrowing func text() throws -> String {
        guard let text = content.withBytes({ $0.text() }) else {
            throw UnusableFile(path, "it is not UTF-8")
        }
        return text
    }

    /// The reason why a file could not be read, for a message.
    package static func explanation(of error: any Error) -> String {
        switch error {
        case let error as SystemFailure where error.isMissingFile: "there is no such file"
        case let error as SystemFailure: error.explanation
        case let error as UnusableFile: error.reason
        default: "it cannot be read"
        }
    }
}
