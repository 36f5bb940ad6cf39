import Application
import SecretMemory
import TextCoding

/// An owner who answers questions with lines that a test gives, and keeps every message.
final class TestOwner: Owner, SecretSource {
    let isPerson: Bool
    var seesResults = false
    private var lines: [String]
    private(set) var warnings: [String] = []
    private(set) var remarks: [String] = []
    private(set) var said: [String] = []

    /// Takes the answers; those of a person, or the lines of a passphrase file.
    init(_ lines: String..., isPerson: Bool = false) {
        self.lines = lines
        self.isPerson = isPerson
    }

    var canAnswer: Bool { isPerson }
    var hasPassphraseFile: Bool { !isPerson }

    func passphrases() throws -> any SecretSource { self }

    func next(_ question: String, _ subject: String) throws -> SecretBytes? {
        guard !lines.isEmpty else { return nil }
        return .some(unsafe try SecretBytes(copying: lines.removeFirst().utf8Span.span.bytes))
    }

    func say(_ line: String) { said.append(line) }
    func warn(_ code: String, _ message: String) { warnings.append(code) }
    func remark(_ message: String) { remarks.append(message) }
}

/// An owner who is not there.
struct AbsentOwner: Owner {
    func warn(_ code: String, _ message: String) {}
    func remark(_ message: String) {}
}
