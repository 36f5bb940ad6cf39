internal import Platform
internal import TextCoding

/// Decides which of several waiting processes clears a clipboard: the one that copied last. A value that is copied twice stays for the full
/// time of the second copy.
///
/// A file of this machine has a line for each clipboard with a value: a random number and the name of the clipboard.
struct ClipboardTurn {
    /// The largest file, in bytes.
    private static let limit = 65_536

    private let path: String
    private let line: String

    /// Takes the turn, and runs `copy` before another process can take it.
    ///
    /// - Parameters:
    ///   - path: The file. If it cannot be written, the turn is not exclusive.
    ///   - clipboard: The name of the clipboard.
    ///   - copy: Copies the value.
    /// - Throws: The error of `copy`; the turn is then not taken.
    init(at path: String, of clipboard: String, _ copy: () throws -> Void) throws {
        self.path = path
        let name = " " + clipboard.substituting("\n", for: " ")
        line = String(UInt64.random(in: .min ... .max), radix: 16) + name
        try Self.locked(path) { lines in
            try copy()
            lines?.removeAll { $0.hasSuffix(name) }
            lines?.append(line)
        }
    }

    /// Runs `clear` unless a newer copy has the turn.
    ///
    /// - Throws: The error of `clear`.
    func end(_ clear: () throws -> Void) throws {
        try Self.locked(path) { lines in
            guard lines?.contains(line) ?? true else { return }
            lines?.removeAll { $0 == line }
            try clear()
        }
    }

    /// Runs `body` with the lines of the file, which no other process reads or writes meanwhile; with nil if there can be no file.
    ///
    /// The corresponding C function is `flock`.
    private static func locked(_ path: String, _ body: (inout [String]?) throws -> Void) throws {
        let place = SafeFolder.split(path)
        try? SafeFolder.create(place.folder)
        guard let folder = try? FileDescriptor(folder: place.folder),
            let file = try? FileDescriptor(place.name, in: folder, flags: O_RDWR | O_CREAT)
        else {
            var lines: [String]?
            return try body(&lines)
        }
        while flock(file.number, LOCK_EX) != 0, errno == EINTR {}
        let bytes = (try? file.bytes(at: 0, count: limit)) ?? []
        let before = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        var after: [String]? = before
        try body(&after)
        guard let after, after != before else { return }
        let text = after.map { $0 + "\n" }.joined()
        ftruncate(file.number, 0)
        _ = unsafe pwrite(file.number, text, text.utf8.count, 0)
    }
}
