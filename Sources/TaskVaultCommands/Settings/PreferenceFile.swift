internal import CommandLine
internal import Platform

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
    /// The file itself is locked.
    static func change(
        _ path: String, _ body: (inout PreferenceFile) throws(Failure) -> Void
    ) throws(Failure) {
        let descriptor: Int32
        do throws(SystemFailure) {
            descriptor = try FileSystem.openLocked(path, O_RDWR | O_NONBLOCK)
        } catch {
            throw .system(error)
        }
        defer { close(descriptor) }
        var file = try PreferenceFile(path: path)
        return try body(&file)
    }

    /// Reads the file; one that is missing is empty.
    init(path: String) throws(Failure) {
        self.path = path
        lines = []
        values = [:]
        guard let text = try Self.read(path) else { return }
        lines = SettingLine.lines(of: text)
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
        switch SettingLine(line) {
        case .empty: return nil
        case .malformed: throw .line(number, reason: "a line is 'name = value'")
        case .setting(let name, let value):
            guard let preference = Preference(rawValue: name) else {
                throw .line(number, reason: "it names no setting of this version")
            }
            return (preference, value)
        }
    }

    /// The file's text; nil where there is none. Whoever else could write it could send the tasks to another server.
    private static func read(_ path: String) throws(Failure) -> String? {
        do throws(TrustedFile.Failure) {
            return try TrustedFile(path, limit: maximumSize).text()
        } catch {
            switch error {
            case .missing: return nil
            case .system(let failure): throw .system(failure)
            case .refused(let reason): throw .file(reason: reason)
            }
        }
    }
}
