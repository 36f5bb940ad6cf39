internal import Application
internal import CommandLine
internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import TextCoding
internal import VaultCore

/// Content for a command to store: a file of this machine, or standard input.
struct FileSource {
    /// The path, or `-`.
    let path: String
    /// The name in the vault.
    let name: String
    /// The size of the file, or the required size of standard input; nil for any size.
    let size: UInt64?

    /// Checks a file without opening it.
    ///
    /// - Parameters:
    ///   - path: The file, or `-`.
    ///   - name: The name in the vault; that of the file if it is nil.
    ///   - isNew: Whether the content is for a new file, which needs a valid name.
    ///   - context: The command.
    /// - Throws: A failure if the path is no file, the file is too large, or it has no valid name.
    init(_ path: String, name: String?, isNew: Bool = true, _ context: CommandContext) throws {
        self.path = path
        context.errors.file = name ?? path
        guard path != "-" else {
            guard !context.console.canAsk else {
                throw Failure(
                    .usage, code: "would_show",
                    "standard input is a terminal, which would show the input",
                    hint: "name the file, or pipe it in")
            }
            self.name = name ?? ""
            let invocation = context.invocation
            size =
                invocation.takes(.expectedSize)
                ? invocation.number(of: .expectedSize).map { UInt64($0) } : nil
            if isNew { try VaultFiles.checkName(self.name) }
            return
        }
        guard let status = try Self.status(path) else {
            throw Self.failure(SystemFailure("open", code: ENOENT), path)
        }
        guard status.isRegularFile else { throw Self.notAFile(path, status, isNew, context) }
        guard status.size <= VaultFiles.largestSize else {
            throw SecureStoreError.tooLarge(maximum: Int(VaultFiles.largestSize))
        }
        size = UInt64(status.size)
        self.name = name ?? SafeFolder.split(path).name
        guard isNew else { return }
        do {
            try VaultFiles.checkName(self.name)
        } catch {
            let failure = context.errors.failure(error)
            throw Failure(
                failure.exitCode, code: failure.code, "\(path): \(failure.message)",
                hint: "--name gives it another name in the vault")
        }
    }

    /// Runs `body` with a function that reads the next bytes into a span from an offset; 0 means the end.
    ///
    /// The function fails if the file is changed meanwhile, and after a signal that ends the program.
    func read<Result>(
        _ context: CommandContext,
        _ body: ((inout MutableRawSpan, Int) throws -> Int) throws -> Result
    ) throws -> Result {
        var progress = TransferProgress(
            "storing \(name)", of: size, descriptor: context.console.surroundings.errors)
        guard path != "-" else {
            try context.console.skipPassphrase()
            var total: UInt64 = 0
            return try body { bytes, offset in
                do {
                    let count = try context.console.surroundings.standardInput.read(
                        into: &bytes, at: offset)
                    total += UInt64(count)
                    guard size.map({ total <= $0 && (count > 0 || total == $0) }) != false else {
                        throw Failure(
                            .refused, code: "file_changed",
                            "standard input has another size, and was not stored")
                    }
                    progress.add(count)
                    return count
                } catch let error as InputError {
                    throw Failure(error, reading: "standard input")
                }
            }
        }
        let signals = BlockedSignals()
        let file = try OpenedFile(path)
        var total: UInt64 = 0
        return try body { bytes, offset in
            if signals.isPending { throw Failure(.interrupted, "interrupted") }
            let count: Int
            do {
                count = try Descriptor.read(from: file.number, into: &bytes, at: offset)
            } catch let failure as SystemFailure {
                throw Self.failure(failure, path)
            }
            total += UInt64(count)
            guard total <= file.size, count > 0 || (total == file.size && file.isUnchanged) else {
                throw Failure(
                    .refused, code: "file_changed",
                    "\(path) was changed while it was read, and was not stored",
                    hint: "run it again when no program writes it")
            }
            progress.add(count)
            return count
        }
    }

    /// The status of a path, without following a symbolic link.
    static func status(_ path: String) throws -> FileStatus? {
        do {
            return try FileStatus.of(path: path)
        } catch let failure as SystemFailure {
            throw Self.failure(SystemFailure("open", code: failure.code), path)
        }
    }

    static func failure(_ failure: SystemFailure, _ path: String) -> Failure {
        Failure(InputError.failed(failure), reading: path)
    }

    private static func notAFile(
        _ path: String, _ status: FileStatus, _ isNew: Bool, _ context: CommandContext
    ) -> Failure {
        let typed = ShellText.quote(path)
        let command = isNew ? "file add - --name NAME" : "file replace NAME -"
        if status.isFolder {
            return Failure(
                .usage, code: "is_folder", "\(path) is a folder, not a file",
                hint: isNew
                    ? context.folders.command("file add --recursive \(typed)")
                        + " adds the files in it" : "name a file")
        }
        return Failure(
            .usage, code: "not_a_file",
            status.isSymbolicLink
                ? "\(path) is a symbolic link, not a file"
                : "\(path) is a device or a pipe, not a file",
            hint: status.isSymbolicLink
                ? "name the file to which it points: readlink -f \(typed)"
                : "cat \(typed) | " + context.folders.command(command))
    }
}

/// A file that is open for reading, with its status at the beginning.
private struct OpenedFile: ~Copyable {
    let number: Int32
    let size: UInt64
    private let status: stat

    /// Opens a regular file without following a symbolic link. The corresponding C functions are `open` and `fstat`.
    init(_ path: String) throws {
        let number = unsafe platform_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0)
        guard number >= 0 else { throw FileSource.failure(SystemFailure.last("open"), path) }
        let status = Self.status(of: number)
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(number)
            throw FileSource.failure(SystemFailure("open", code: EINVAL), path)
        }
        self.number = number
        self.status = status
        size = UInt64(status.st_size)
    }

    deinit {
        close(number)
    }

    /// Whether the size and the time of the last change are still those at the beginning.
    var isUnchanged: Bool {
        let now = Self.status(of: number)
        #if os(Linux)
            let times = [(now.st_mtim, status.st_mtim)]
        #else
            let times = [(now.st_mtimespec, status.st_mtimespec)]
        #endif
        return now.st_size == status.st_size
            && times.allSatisfy { $0.tv_sec == $1.tv_sec && $0.tv_nsec == $1.tv_nsec }
    }

    private static func status(of number: Int32) -> stat {
        var status = stat()
        unsafe fstat(number, &status)
        return status
    }
}
