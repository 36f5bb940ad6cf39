/// The output of a command to a path that its user names.
///
/// A device, a pipe or a socket is opened and written, also through a symbolic link, if it belongs to this user or root. A descriptor that
/// the process inherited, such as `/dev/stdout` or `/dev/fd/3`, is written. Any other path gets a ``NewFile``.
package struct OutputFile: ~Copyable {
    private enum Special {
        case inherited(Int32), socket, opened
    }

    /// Nil if the path is special.
    private var new: NewFile?
    private let isSpecial: Bool
    /// The descriptor to write to.
    package let descriptor: Int32

    /// Opens the output. A pipe waits for its reader.
    ///
    /// The corresponding C functions are `open`, `fcntl` with `F_DUPFD_CLOEXEC`, and `connect`.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - isReplacing: Whether to replace an existing regular file.
    /// - Throws: ``SystemFailure``, with `EEXIST` if the path exists; ``UnusableFile`` for a path that is neither written nor replaced.
    package init(at path: String, replacing isReplacing: Bool = false) throws {
        if let special = try Self.special(path) {
            let descriptor = try Self.open(special, path)
            self.init(nil, isSpecial: true, descriptor)
        } else {
            let file = try NewFile(at: path, replacing: isReplacing)
            let descriptor = file.descriptor
            self.init(file, isSpecial: false, descriptor)
        }
    }

    private init(_ new: consuming NewFile?, isSpecial: Bool, _ descriptor: Int32) {
        self.new = new
        self.isSpecial = isSpecial
        self.descriptor = descriptor
    }

    /// Completes the output. A new file gets its name (``NewFile/publish()``).
    package consuming func publish() throws {
        try new.take()?.publish()
    }

    deinit {
        if isSpecial { close(descriptor) }
    }

    /// Whether something is at the path that can only be replaced.
    package static func isTaken(_ path: String) -> Bool {
        guard descriptor(named: path) == nil, FileSystem.exists(path) else { return false }
        // An error is reported when the path is opened.
        do { return try special(path) == nil } catch { return false }
    }

    /// The descriptor that a path stands for on every system, also without `/proc`.
    package static func descriptor(named path: String) -> Int32? {
        switch path {
        case "/dev/stdin": return Descriptor.standardInput
        case "/dev/stdout": return Descriptor.standardOutput
        case "/dev/stderr": return Descriptor.standardError
        default: break
        }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            let digits = path.dropFirst(folder.count)
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return Int32(digits)
        }
        return nil
    }

    /// How to write to a path; nil for a regular file, a folder, a link to one of them, and nothing.
    private static func special(_ path: String) throws -> Special? {
        if let number = descriptor(named: path) { return .inherited(number) }
        guard !path.utf8.contains(0), let named = try FileStatus.of(path: path),
            let target = named.isSymbolicLink ? try FileStatus.ofTarget(path: path) : named,
            !target.isRegularFile, !target.isFolder
        else { return nil }
        // Another user could have put it into a shared folder, to read what is written.
        guard isTrusted(named.owner), isTrusted(target.owner) else {
            throw UnusableFile(path, "owned by another user")
        }
        return target.isSocket ? .socket : .opened
    }

    private static func isTrusted(_ owner: UInt32) -> Bool { owner == 0 || owner == geteuid() }

    private static func open(_ special: Special, _ path: String) throws -> Int32 {
        let number: Int32
        switch special {
        case .inherited(let inherited):
            // This process opens its own files, such as a database, with `O_CLOEXEC`.
            guard fcntl(inherited, F_GETFD) == 0 else { throw SystemFailure("open", code: EBADF) }
            number = fcntl(inherited, F_DUPFD_CLOEXEC, 3)
        case .socket: number = unsafe platform_connect(path)
        case .opened: number = unsafe platform_open(path, O_WRONLY | O_NOCTTY, 0)
        }
        guard number >= 0 else { throw SystemFailure.last("open") }
        guard case .opened = special else { return number }
        do {
            let status = try FileStatus.of(descriptor: number)
            guard !status.isRegularFile, isTrusted(status.owner) else {
                throw UnusableFile(path, "replaced while it was opened")
            }
        } catch {
            close(number)
            throw error
        }
        return number
    }
}
