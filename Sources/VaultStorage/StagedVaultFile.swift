internal import Database
internal import Platform

/// A file that is about to take the place of a vault file, under a name of its own in the same folder.
///
/// It is removed when the value ends, unless it was installed. Not thread-safe.
public struct StagedVaultFile: ~Copyable {
    private let location: VaultLocation
    private let name: String
    private var isInstalled = false

    /// The staged file's path.
    public var path: String { location.folder + "/" + name }

    /// Copies any file byte for byte into the folder of the vault at `target`; what it holds is checked when it is opened.
    ///
    /// - Parameters:
    ///   - source: A regular file; its place need not be as safe as the vault's.
    ///   - target: The vault file that it is for; it need not exist, its folder must.
    /// - Throws: ``DatabaseError/notFound`` if there is no such file, ``DatabaseError/foreign(reason:)`` if it is something else than a file.
    public init(copyOf source: String, for target: String) throws {
        let location = try VaultLocation(path: target)
        let name = VaultLocation.temporaryName()
        let folder = try FileDescriptor(folder: location.folder)
        do {
            try Self.copy(source, to: name, in: folder)
        } catch {
            _ = unsafe unlinkat(folder.number, name, 0)
            throw error
        }
        self.location = location
        self.name = name
    }

    deinit {
        guard !isInstalled else { return }
        for suffix in [""] + VaultLocation.companionSuffixes {
            _ = unsafe unlink(path + suffix)
        }
    }

    /// Removes the staged file.
    public consuming func remove() {}

    private static func copy(
        _ source: String, to name: String, in folder: borrowing FileDescriptor
    ) throws {
        let (sourceFolder, sourceName) = VaultLocation.split(source)
        guard !sourceName.isEmpty, !source.utf8.contains(0) else { throw DatabaseError.notFound }
        let inputFolder = try FileDescriptor(folder: try VaultLocation.resolve(sourceFolder))
        if let log = try FileStatus.of(sourceName + "-wal", in: inputFolder), log.size > 0 {
            throw DatabaseError.unsafeLocation(
                path: source + "-wal", reason: "holds changes that are not in the file")
        }
        let input = try FileDescriptor(sourceName, in: inputFolder, flags: O_RDONLY)
        guard try FileStatus.of(input).isRegularFile else {
            throw DatabaseError.foreign(reason: "not a regular file")
        }
        let output = try FileDescriptor(name, in: folder, flags: O_WRONLY | O_CREAT | O_EXCL)
        var offset: Int64 = 0
        while true {
            let bytes = try input.bytes(at: offset, count: 1 << 20)
            if bytes.isEmpty { break }
            try output.append(bytes)
            offset += Int64(bytes.count)
        }
        try output.sync()
    }

    /// Puts the staged file in place, in one step that a crash leaves done or not done.
    ///
    /// - Parameter isReplacing: Whether a file that is there may be replaced; it is kept beside under another name.
    /// - Returns: The path of the file that was replaced, or nil if there was none.
    /// - Throws: ``DatabaseError/alreadyExists`` for a file that may not be replaced, ``DatabaseError/busy`` while another process has it open.
    public consuming func install(replacing isReplacing: Bool) throws -> String? {
        let folder = try FileDescriptor(folder: location.folder)
        guard try FileStatus.of(location.name, in: folder) != nil else {
            try location.requireNoCompanions(in: folder)
            try folder.rename(name, to: location.name)
            isInstalled = true
            try folder.sync()
            return nil
        }
        guard isReplacing else { throw DatabaseError.alreadyExists }
        try settleOldFile()
        // A log that could not be removed would lie beside the other file afterwards.
        try requireNoLogs(in: folder)
        try folder.exchange(name, location.name)
        // From here on the staged name is the old vault's, which must not be removed, whatever fails.
        isInstalled = true
        do {
            try location.requireNoCompanions(in: folder)
        } catch {
            // Somebody opened the old file in the meantime: its log must not lie beside another file.
            try folder.exchange(name, location.name)
            isInstalled = false
            throw DatabaseError.busy
        }
        // The vault is in place: what fails now changes only under which name the old one is found, and whether it is known to last.
        let kept = (try? keep(in: folder)) ?? name
        try folder.sync()
        return location.folder + "/" + kept
    }

    /// Makes sure that the staged file and the one that it replaces are complete by themselves.
    private borrowing func requireNoLogs(
        in folder: borrowing FileDescriptor
    ) throws {
        try VaultLocation(folder: location.folder, name: name).requireNoCompanions(in: folder)
        do {
            try location.requireNoCompanions(in: folder)
        } catch {
            throw DatabaseError.busy
        }
    }

    /// Moves the old file's log into it, which works only while nobody else has it open.
    ///
    /// A file that SQLite cannot open has its log moved out of the way instead.
    private borrowing func settleOldFile() throws {
        let database: VaultDatabase
        do {
            database = try VaultDatabase.open(
                .file(location.path), mode: .readWrite, lockTimeout: .seconds(2))
        } catch let error as DatabaseError {
            switch error {
            case .damaged, .foreign: return try setLogAside()
            default: throw error
            }
        }
        defer { database.close() }
        guard try database.leaveLog() else { throw DatabaseError.busy }
    }

    private borrowing func setLogAside() throws {
        let folder = try FileDescriptor(folder: location.folder)
        for suffix in VaultLocation.companionSuffixes
        where try FileStatus.of(location.name + suffix, in: folder) != nil {
            try folder.rename(location.name + suffix, to: try freeName(in: folder) + suffix)
        }
    }

    /// Gives the old file, which has the staged name now, a name that says what it is.
    private borrowing func keep(in folder: borrowing FileDescriptor) throws -> String {
        let kept = try freeName(in: folder)
        try folder.rename(name, to: kept)
        return kept
    }

    private borrowing func freeName(
        in folder: borrowing FileDescriptor
    ) throws -> String {
        for number in 1...9_999 {
            let candidate = "\(location.name).replaced-\(number)"
            if try FileStatus.of(candidate, in: folder) == nil { return candidate }
        }
        throw DatabaseError.alreadyExists
    }
}
