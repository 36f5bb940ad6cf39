internal import SecretMemory
internal import TextCoding

/// A file of environment variables, as shells and loaders of `.env` files read it.
struct EnvironmentFile {
    /// A variable of the file.
    struct Variable {
        let name: String
        let value: String
        /// The file and the line, for messages.
        let place: String
    }

    /// The maximum size of a file, in bytes.
    private static let limit = 1_048_576

    /// The variables in the order of the file, each once.
    private(set) var variables: [Variable] = []

    /// Reads a file.
    ///
    /// - Throws: A failure that names the file and the line, but not its text, which may be a secret.
    init(_ path: String, _ console: Console) throws {
        let bytes = try console.readFile(path, limit: Self.limit)
        guard let text = bytes.withBytes({ $0.text() }) else {
            throw Failure(.usage, code: "not_text", "\(path) is not valid UTF-8")
        }
        try self.init(text, from: path)
    }

    /// Parses the text of a file. A byte order mark at its beginning is skipped.
    init(_ text: String, from path: String) throws {
        let hasMark = text.utf8.starts(with: [0xEF, 0xBB, 0xBF])
        var scan = Scan(text.utf8.dropFirst(hasMark ? 3 : 0))
        while scan.skipToText() {
            let place = "\(path), line \(scan.line),"
            let name: String
            let value: String
            do {
                (name, value) = try scan.readVariable()
            } catch Scan.Malformed.variable {
                throw Failure.usage(
                    "\(place) is not NAME=VALUE", hint: "such as TOKEN=taskvault://ci.example/bot")
            } catch Scan.Malformed.quotes {
                throw Failure.usage(
                    "\(place) has text after its quotes, or no end of them",
                    hint: "put the whole value into one pair of quotes")
            }
            guard !variables.contains(where: { $0.name == name }) else {
                throw Failure.usage(
                    "\(place) sets \(name) again", hint: "remove one of the two lines")
            }
            variables.append(Variable(name: name, value: value, place: place))
        }
    }

    /// Whether a shell accepts a name (POSIX, 8.1).
    static func isName(_ text: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || byte == UInt8(ascii: "_")
        }
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
    }
}

/// A position in the text of an environment file.
private struct Scan {
    /// The reason why a line is not understood.
    enum Malformed: Error {
        case variable, quotes
    }

    private static let newline = UInt8(ascii: "\n")
    private static let comment = UInt8(ascii: "#")
    private static let blanks = Array(" \t\r".utf8)

    private var rest: Substring.UTF8View
    /// The number of the current line, from 1.
    private(set) var line = 1

    init(_ text: Substring.UTF8View) { rest = text }

    /// Skips empty lines and comments, and returns whether text follows.
    mutating func skipToText() -> Bool {
        while let byte = rest.first {
            if byte == Self.comment {
                skipLine()
            } else if byte == Self.newline || Self.blanks.contains(byte) {
                _ = next()
            } else {
                return true
            }
        }
        return false
    }

    /// Reads `NAME=VALUE` up to the end of its last line.
    mutating func readVariable() throws(Malformed) -> (String, String) {
        let words = Self.text(take { $0 != UInt8(ascii: "=") && $0 != Self.newline })
            .split { $0 == " " || $0 == "\t" }
        let name = words.last.map(String.init) ?? ""
        guard next() == UInt8(ascii: "="), EnvironmentFile.isName(name),
            words.count == 1 || words.count == 2 && words[0] == "export"
        else { throw .variable }
        let blanks = take(where: Self.blanks.contains)
        let value: String
        switch rest.first {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            value = try readQuoted()
        case Self.comment where !blanks.isEmpty:
            skipLine()
            value = ""
        default:
            value = readPlain()
        }
        guard !value.utf8.contains(0) else { throw .variable }
        return (name, value)
    }

    /// A value up to the end of the line, or to a comment, which follows a blank.
    private mutating func readPlain() -> String {
        var value = take { $0 != Self.newline }
        for index in value.indices.dropFirst()
        where value[index] == Self.comment && Self.blanks.contains(value[index - 1]) {
            value.removeSubrange(index...)
            break
        }
        while let last = value.last, Self.blanks.contains(last) { value.removeLast() }
        return Self.text(value)
    }

    /// A value in quotes, which may have several lines. Only a comment may follow it.
    private mutating func readQuoted() throws(Malformed) -> String {
        let quote = next()
        var value: [UInt8] = []
        while true {
            guard let byte = next() else { throw .quotes }
            if byte == quote { break }
            guard byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") else {
                value.append(byte)
                continue
            }
            guard let escaped = next() else { throw .quotes }
            switch escaped {
            case UInt8(ascii: "n"): value.append(Self.newline)
            case UInt8(ascii: "r"): value.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "t"): value.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"), UInt8(ascii: "`"):
                value.append(escaped)
            default: value += [byte, escaped]
            }
        }
        let rest = take { $0 != Self.newline }.drop(while: Self.blanks.contains)
        guard rest.isEmpty || rest.first == Self.comment else { throw .quotes }
        return Self.text(value)
    }

    private mutating func skipLine() { _ = take { $0 != Self.newline } }

    private mutating func take(where isTaken: (UInt8) -> Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        while let byte = rest.first, isTaken(byte) {
            bytes.append(byte)
            _ = next()
        }
        return bytes
    }

    private mutating func next() -> UInt8? {
        let byte = rest.popFirst()
        if byte == Self.newline { line += 1 }
        return byte
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
