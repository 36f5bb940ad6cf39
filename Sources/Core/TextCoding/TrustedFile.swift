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

/// A line of a settings file.
package enum SettingLine: Sendable, Hashable {
    /// An empty line, or a comment, which begins with `#`.
    case empty
    /// `name = value`, without surrounding white space.
    case setting(name: String, value: String)
    /// Any other line.
    case malformed

    /// Parses a line without its line end.
    package init(_ line: String) {
        let text = Self.trimmed(line[...])
        if text.isEmpty || text.utf8.first == UInt8(ascii: "#") {
            self = .empty
            return
        }
        // Split by bytes: as a `Character`, an equals sign with an accent is not `=`.
        let parts = text.utf8.split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            self = .malformed
            return
        }
        self = .setting(
            name: Self.trimmed(Substring(parts[0])), value: Self.trimmed(Substring(parts[1])))
    }

    /// The lines of a text, without their line ends.
    package static func lines(of text: String) -> [String] {
        // Swift treats "\r\n" as one character.
        var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0) }
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func trimmed(_ text: Substring) -> String {
        var bytes = text.utf8
        let blanks = " \t\r".utf8
        while let first = bytes.first, blanks.contains(first) { bytes.removeFirst() }
        while let last = bytes.last, blanks.contains(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
