internal import Accounts
internal import CommandLine
internal import Platform
internal import SecretMemory
internal import TextCoding

/// The file of the pseudonym key: 32 random bytes, mode 0600. If it is lost, the server creates a
/// new one.
/// The counts of recent guesses are lost with it.
struct PseudonymFile {
    private static let subject = "the key of pseudonyms"

    let path: String

    /// Finds the file: as configured, or beside the configuration file, or otherwise beside the
    /// database.
    ///
    /// - Throws: `Failure` if no home folder is known.
    init(_ context: ServerContext) throws {
        if let path = context.settings.value(ServerSettings.pseudonymKey) {
            self.path = path
        } else if let file = context.settings.file {
            path = file + ".key"
        } else {
            switch try context.database() {
            case .file(let database): path = database + ".key"
            case .server:
                guard
                    let file = ServerFolders(context.surroundings.environment).configuration
                else {
                    throw Failure.usage(
                        "no home folder is known", hint: "give --pseudonym-key FILE, or set HOME")
                }
                path = file + ".key"
            }
        }
    }

    /// Reads the key; nil if the file is missing.
    ///
    /// - Throws: `Failure`.
    func read() throws -> PseudonymKey? {
        guard FileSystem.exists(path) else { return nil }
        let file: TrustedFile
        do {
            file = try TrustedFile(path, limit: 4_096, followingLinks: true)
        } catch {
            throw Failure(error, reading: Self.subject, path)
        }
        if file.isReadableByOthers {
            throw Failure(
                .refused, code: "readable_by_others", "all users can read the key \(path)",
                hint: "chmod go= \(ShellText.quote(path))")
        }
        guard let key = PseudonymKey(try file.content.copy()) else {
            throw Failure(
                .damaged, code: "pseudonym_key",
                "\(path) is not a key of \(PseudonymKey.size) bytes",
                hint: "remove it; the server makes a new one")
        }
        return key
    }

    /// Checks that the key can be read or created, without creating it.
    ///
    /// - Throws: `Failure`.
    func check(_ context: ServerContext) throws {
        guard try read() == nil else { return }
        let folder = SafeFolder.split(path).folder
        // The server creates the folder of its database first.
        if case .file(let database) = try context.database(),
            SafeFolder.split(database).folder == folder
        {
            return
        }
        let failure =
            FileSystem.exists(folder)
            ? FileSystem.creationPermissionFailure(path) : SystemFailure("open", code: ENOENT)
        if let failure { throw Self.failure(failure, path) }
    }

    /// Reads the key, and creates it if it is missing.
    ///
    /// - Throws: `Failure`.
    func readOrMake() throws -> PseudonymKey {
        if let key = try read() { return key }
        let key = try RandomSource.system.secret(count: PseudonymKey.size)
        do {
            let file = try NewFile(at: path)
            try key.withBytes { bytes in try Descriptor.write(bytes, to: file.descriptor) }
            try file.publish()
        } catch let error as SystemFailure where error.code == EEXIST {
            // Another server created it in the meantime.
            if let key = try read() { return key }
            throw Self.failure(error, path)
        } catch let error as SystemFailure {
            throw Self.failure(error, path)
        }
        guard let made = PseudonymKey(key) else {
            preconditionFailure("a new key has its size")
        }
        return made
    }

    private static func failure(_ error: SystemFailure, _ path: String) -> Failure {
        Failure(
            .refused, code: "pseudonym_key", "cannot make the key \(path): \(error.explanation)",
            hint: "give --pseudonym-key FILE in a folder that this user can write")
    }
}
