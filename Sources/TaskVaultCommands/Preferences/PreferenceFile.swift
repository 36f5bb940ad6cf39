internal import CPlatform
internal import SecretMemory
internal import Terminal

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The file of preferences: lines `name = value`, empty ones, and comments that begin with `#`.
///
/// Read at each start and replaced as a whole, so that a crash leaves the old one or the new one. Lines that are not changed stay as a
/// person wrote them.
struct PreferenceFile {
    /// The largest file that is read, in bytes.
    private static let maximumSize = 65_536

    /// What is wrong with a file.
    enum Failure: Error {
        /// The system does not let it be read or written.
        case system(SystemFailure)
        /// It is not to be used as it is.
        case file(reason: String)
        /// A line is not understood.
        case line(Int, reason: String)
    }

    let path: String
    private var lines: [String]
    private(set) var values: [Preference: String]

    /// A file that nobody can write.
    init() {
        path = ""
        lines = []
        values = [:]
    }

    /// Reads the file, has it changed, and lets nobody else change it meanwhile.
    ///
    /// The corresponding C function is `flock`, on the file itself; whoever gets the lock of a file that was replaced meanwhile tries again.
    static func change(
        _ path: String, _ body: (inout PreferenceFile) throws(Failure) -> Void
    ) throws(Failure) {
        while true {
            let descriptor = unsafe platform_open(
                path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw .system(SystemFailure("open", code: errno)) }
            defer { close(descriptor) }
            guard flock(descriptor, LOCK_EX) == 0 else {
                throw .system(SystemFailure("flock", code: errno))
            }
            var locked = stat()
            var named = stat()
            guard unsafe fstat(descriptor, &locked) == 0, unsafe lstat(path, &named) == 0,
                locked.st_ino == named.st_ino, locked.st_dev == named.st_dev
            else { continue }
            var file = try PreferenceFile(path: path)
            return try body(&file)
        }
    }

    /// Reads the file; one that is missing is empty.
    init(path: String) throws(Failure) {
        self.path = path
        lines = []
        values = [:]
        guard let text = try Self.read(path) else { return }
        // As characters, "\r\n" would be one.
        lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0) }
        if lines.last == "" { lines.removeLast() }
        for (index, line) in lines.enumerated() {
            guard let (name, value) = try Self.parse(line, number: index + 1) else { continue }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .line(index + 1, reason: "\(name.rawValue) is there twice")
            }
        }
    }

    /// The value of a preference, or what stands for one that was not set.
    subscript(preference: Preference) -> String { values[preference] ?? preference.standard }

    /// Sets a preference and writes the file durably.
    mutating func set(_ preference: Preference, to value: String) throws(Failure) {
        let line = "\(preference.rawValue) = \(value)"
        let index = lines.indices.first { index in
            (try? Self.parse(lines[index], number: 0))?.0 == preference
        }
        if let index { lines[index] = line } else { lines.append(line) }
        values[preference] = value
        do throws(SystemFailure) {
            try FileSystem.replace(path, with: lines.map { $0 + "\n" }.joined())
        } catch {
            throw .system(error)
        }
    }

    private static func parse(
        _ line: String, number: Int
    ) throws(Failure) -> (Preference, String)? {
        let text = trimmed(line[...])
        if text.isEmpty || text.utf8.first == UInt8(ascii: "#") { return nil }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .line(number, reason: "a line is 'name = value'") }
        guard let name = Preference(rawValue: trimmed(parts[0])) else {
            throw .line(number, reason: "it names no setting of this version")
        }
        return (name, trimmed(parts[1]))
    }

    private static func trimmed(_ text: Substring) -> String {
        var bytes = text.utf8
        let blanks = " \t\r".utf8
        while let first = bytes.first, blanks.contains(first) { bytes.removeFirst() }
        while let last = bytes.last, blanks.contains(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }

    /// The file's text; nil where there is none. The corresponding C functions are `open`, `fstat` and `read`.
    private static func read(_ path: String) throws(Failure) -> String? {
        let descriptor = unsafe platform_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .system(SystemFailure("open", code: errno))
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw .system(SystemFailure("fstat", code: errno))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .file(reason: "it is no file") }
        // Whoever else could write it could send the tasks to another server.
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
            throw .file(reason: "others may write it")
        }
        let bytes: SecretBytes
        do throws(InputError) {
            bytes = try SecretInput(descriptor: descriptor).readAll(limit: maximumSize)
        } catch {
            if case .failed(let failure) = error { throw .system(failure) }
            throw .file(reason: "it is larger than \(maximumSize) bytes")
        }
        let text = bytes.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
        }
        guard let text else { throw .file(reason: "it is not UTF-8") }
        return text
    }
}
