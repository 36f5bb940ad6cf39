internal import CommandLine
internal import Platform
internal import SecretMemory
internal import TextCoding

/// Docker's `config.json`. One member is set, and all other bytes stay unchanged.
///
/// The file may contain passwords, so its text stays in guarded memory.
struct DockerConfiguration: ~Copyable {
    private static let key = "credsStore"
    private static let value = "\"taskvault\""
    /// The largest file, in bytes.
    private static let limit = 1_048_576

    private enum InvalidJSON: JSONReadingFailure {
        case invalidJSON(line: Int)
    }

    /// The path of the file.
    let path: String
    /// The description of the change; nil without a change.
    let change: String?
    private let text: SecretBytes

    /// Reads the file in Docker's folder. The file may be missing.
    ///
    /// - Throws: A failure for a file that is not a JSON object, and for what is no regular file: a pipe would make the command wait, and a
    ///   link is not followed, as by every output.
    init(folder: String, _ console: Console) throws {
        let path = folder + "/config.json"
        let status = try? FileStatus.of(path: path)
        if let status, !status.isRegularFile {
            throw Self.unwritable(
                path, status.isSymbolicLink ? "it is a symbolic link" : "it is not a file")
        }
        var content = try status == nil ? Self.bytes("") : console.readFile(path, limit: Self.limit)
        // As docker does, takes a file without a value for an empty object.
        if content.withBytes({ $0.isBlank }) { content = try Self.bytes("{\n}\n") }
        let edit: Edit
        do {
            edit = try content.withBytes { bytes in try Self.edit(bytes) }
        } catch InvalidJSON.invalidJSON(let line) {
            throw Failure(
                .usage, code: "invalid_json", "\(path) is not a JSON object: line \(line)",
                hint: "correct the file")
        }
        let rest = try content.copy(
            from: edit.place.upperBound, count: content.count - edit.place.upperBound)
        let text = try content.copy(from: 0, count: edit.place.lowerBound)
            .joined(with: Self.bytes(edit.text)).joined(with: rest)
        self.path = path
        change = edit.change
        self.text = text
    }

    private static func bytes(_ text: String) throws -> SecretBytes {
        try SecretBytes(copying: unsafe text.utf8Span.span.bytes)
    }

    /// A text that replaces a range of bytes.
    private struct Edit {
        let place: Range<Int>
        let text: String
        let change: String?
    }

    /// The edit that sets the member.
    ///
    /// - Throws: `invalidJSON`.
    private static func edit(_ bytes: RawSpan) throws -> Edit {
        var reader = JSONReader<InvalidJSON>(bytes)
        var found: Range<Int>?
        var isEmpty = true
        while let name = try reader.nextKey(in: bytes, isFirst: isEmpty) {
            isEmpty = false
            let range = try reader.rangeOfValue(in: bytes)
            // Docker uses the last member with this name.
            if name == key { found = range }
        }
        try reader.expectEnd(in: bytes)
        if let found {
            let old = bytes.extracting(found).text() ?? ""
            return Edit(
                place: found, text: value,
                change: old == value ? nil : "\(key) \(old) becomes \(value)")
        }
        guard let brace = (0..<bytes.byteCount).first(where: { bytes[$0] == UInt8(ascii: "{") })
        else { throw reader.unexpected(in: bytes) }
        return Edit(
            place: (brace + 1)..<(brace + 1),
            text: "\n\t\"\(key)\": \(value)" + (isEmpty ? "" : ","),
            change: "\(key) \(value) is added")
    }

    /// Fails if the file cannot be replaced, as one in the read-only store of a system configuration.
    func requireWritable() throws {
        guard change != nil, let failure = FileSystem.creationPermissionFailure(path)
        else { return }
        throw Self.unwritable(path, failure.explanation)
    }

    /// Replaces the file by the new text, with the same file mode.
    func write() throws {
        if change == nil { return }
        do {
            try SafeFolder.create(SafeFolder.split(path).folder)
            let mode = try FileStatus.of(path: path)?.mode
            let file = try NewFile(at: path, replacing: true)
            try text.withBytes { try Descriptor.write($0, to: file.descriptor) }
            if let mode { fchmod(file.descriptor, mode & 0o777) }
            try file.publish()
        } catch let failure as SystemFailure {
            throw Self.unwritable(path, failure.explanation)
        }
    }

    private static func unwritable(_ path: String, _ reason: String) -> Failure {
        Failure(
            .failure, code: "cannot_write", "cannot change \(path): \(reason)",
            hint: "add \"\(key)\": \(value) where that file is made")
    }
}

extension RawSpan {
    /// Whether all bytes are white space of JSON.
    fileprivate var isBlank: Bool {
        (0..<byteCount).allSatisfy { " \t\r\n".utf8.contains(self[$0]) }
    }
}
