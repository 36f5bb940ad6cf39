internal import Platform
package import SecretMemory
internal import TextCoding

/// The file of `--passphrase-file`, with one passphrase per line in the order of use.
///
/// `-` is standard input, through the shared ``SecretInput/standard``. Owns its descriptor and closes it once.
package struct PassphraseFile: ~Copyable {
    private let input: SecretInput
    private let ownedDescriptor: Int32?

    /// Whether the file is regular and readable by its group or others, which warrants a warning.
    package let isReadableByOthers: Bool

    /// Opens the file.
    ///
    /// Supports pipes, such as a shell's process substitution. Rejects a terminal, which would show the input.
    /// The corresponding C functions are `open` and `fstat`.
    ///
    /// - Parameters:
    ///   - path: Its path, or `-`.
    ///   - standardInput: The input for `-`.
    /// - Throws: `isFolder`, `wouldShow` or `failed`.
    package init(path: String, standardInput: SecretInput = .standard) throws {
        if path == "-" {
            guard !standardInput.isTerminal else { throw InputError.wouldShow }
            input = standardInput
            ownedDescriptor = nil
            isReadableByOthers = false
            return
        }
        let descriptor = unsafe path.withCString {
            unsafe platform_open($0, O_RDONLY | O_NOCTTY, 0)
        }
        guard descriptor >= 0 else { throw InputError.failed(.last("open")) }
        do {
            isReadableByOthers = try Self.inspect(descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        input = SecretInput(descriptor: descriptor)
        ownedDescriptor = descriptor
    }

    deinit {
        if let ownedDescriptor { close(ownedDescriptor) }
    }

    /// Reads the next passphrase.
    ///
    /// - Returns: The line without its line end; nil at the end.
    /// - Throws: `tooLong`, `failed`, `SecretMemoryError`.
    package borrowing func nextLine() throws -> SecretBytes? {
        try input.readLine()
    }

    /// Rejects folders and terminals; returns whether other users can read a regular file.
    private static func inspect(_ descriptor: Int32) throws -> Bool {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw InputError.failed(.last("fstat"))
        }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { throw InputError.isFolder }
        if Descriptor.isTerminal(descriptor) { throw InputError.wouldShow }
        return kind == S_IFREG && status.st_mode & (S_IRGRP | S_IROTH) != 0
    }
}

extension PassphraseFile {
    /// Opens the file, and warns if other users can read it.
    ///
    /// - Parameters:
    ///   - path: Its path, or `-`.
    ///   - standardInput: The input for `-`.
    ///   - noun: The content: `passphrase` or `password`.
    ///   - notices: The output of the warning.
    /// - Throws: As ``init(path:standardInput:)``.
    package init(
        path: String, standardInput: SecretInput, of noun: String, warning notices: Notices
    ) throws {
        try self.init(path: path, standardInput: standardInput)
        if isReadableByOthers {
            notices.warn(
                "\(noun)_file_readable",
                "other users can read the \(noun) file: chmod 600 \(ShellText.quote(path))")
        }
    }
}
