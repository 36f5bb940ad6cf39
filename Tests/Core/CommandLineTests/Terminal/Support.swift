import CommandLine
import Platform
import SecretMemory
import Testing
import TextCoding

/// A test's own mistake or the system's.
struct TestFailure: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// Throws unless a condition holds, in a process of its own.
func demand(_ condition: Bool, _ text: String) throws {
    if !condition { throw TestFailure(text) }
}

/// Raises a signal in this thread, which as a worker blocks it.
func raiseHere(_ number: Int32) {
    var numbers = sigset_t()
    unsafe sigemptyset(&numbers)
    unsafe sigaddset(&numbers, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
    raise(number)
}

/// The bytes of a secret, for comparison.
func bytes(of secret: borrowing SecretBytes) -> [UInt8] {
    secret.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
}

func text(of secret: borrowing SecretBytes) -> String {
    String(decoding: bytes(of: secret), as: UTF8.self)
}

func makeSecret(_ bytes: [UInt8]) throws -> SecretBytes {
    unsafe try SecretBytes(copying: bytes.span.bytes)
}

/// A sink that keeps everything, public and secret apart.
struct CollectedOutput: ByteSink {
    var all: [UInt8] = []
    var secret: [UInt8] = []

    var text: String { String(decoding: all, as: UTF8.self) }

    mutating func write(_ bytes: RawSpan) throws {
        unsafe bytes.withUnsafeBytes { unsafe all.append(contentsOf: $0) }
    }

    mutating func write(secret bytes: RawSpan) throws {
        try write(bytes)
        unsafe bytes.withUnsafeBytes { unsafe secret.append(contentsOf: $0) }
    }
}

/// Makes a file that is removed at the end.
final class TemporaryFile {
    let path: String

    init(_ content: [UInt8], mode: mode_t = 0o600) throws {
        var template = Array("/tmp/taskvault-test-XXXXXX".utf8CString)
        let descriptor = unsafe mkstemp(&template)
        guard descriptor >= 0 else { throw TestFailure("mkstemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        unsafe try Descriptor.write(content.span.bytes, to: descriptor)
        fchmod(descriptor, mode)
        close(descriptor)
    }

    var content: [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY)
        defer { close(descriptor) }
        guard let all = try? SecretInput(descriptor: descriptor).readAll(limit: 1 << 24) else {
            return []
        }
        return bytes(of: all)
    }

    deinit {
        unsafe unlink(path)
    }
}
