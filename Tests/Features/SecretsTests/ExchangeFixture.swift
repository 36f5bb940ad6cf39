import SecretMemory
import Secrets
import SecureStorage
import Testing

/// A delivered secret as plain data, because these test values are not secret.
struct Delivery: Equatable {
    var name: SecretName
    var attributes: SecretAttributes
    var value: [UInt8]
    var line: Int
    var created: Int64?
    var modified: Int64?

    var text: String { String(decoding: value, as: UTF8.self) }

    /// Account and field, such as `alice`, `alice notes`.
    var place: String {
        name.field == SecretName.standardField ? name.account : name.account + " " + name.field
    }

    /// An attribute's text.
    subscript(key: String) -> String? {
        attributes.extra.first { $0.key == key }?.text
    }
}

extension [Delivery] {
    /// The delivery of this account and field; `service` is needed only for a choice.
    func of(
        _ account: String, _ field: String = SecretName.standardField, service: String? = nil
    ) -> Delivery? {
        first {
            $0.name.account == account && $0.name.field == field
                && (service == nil || $0.name.service == service)
        }
    }
}

func guarded(_ bytes: [UInt8]) throws -> SecretBytes {
    try SecretBytes(copying: unsafe bytes.span.bytes)
}

func bytes(of secret: borrowing SecretBytes) -> [UInt8] {
    secret.withBytes { span in unsafe span.withUnsafeBytes { unsafe [UInt8]($0) } }
}

/// Imports a file, and returns the report and the delivered secrets in order.
func imported(_ file: [UInt8]) throws -> (report: ImportReport, secrets: [Delivery]) {
    var secrets: [Delivery] = []
    let source = try SecretImport(try guarded(file))
    let report = try source.deliver { secret, value in
        secrets.append(
            Delivery(
                name: secret.name, attributes: secret.attributes, value: bytes(of: value),
                line: secret.line, created: secret.created, modified: secret.modified))
    }
    return (report, secrets)
}

func imported(_ text: String) throws -> (report: ImportReport, secrets: [Delivery]) {
    try imported(Array(text.utf8))
}

/// The error of an import; nil if it succeeds.
func importError(_ file: [UInt8]) -> ExchangeError? {
    do {
        _ = try imported(file)
        return nil
    } catch {
        return error as? ExchangeError
    }
}

func importError(_ text: String) -> ExchangeError? { importError(Array(text.utf8)) }

/// Exports secrets into one array.
func exported(_ secrets: [Delivery], as format: ExportFormat) throws -> [UInt8] {
    let pieces = Pieces()
    var exporter = try SecretExporter(format) { piece in pieces.append(piece) }
    for secret in secrets {
        let item = SecretItem(
            name: secret.name, attributes: secret.attributes, revision: 1,
            created: secret.created ?? 0, modified: secret.modified ?? 0)
        try exporter.write(item, try guarded(secret.value))
    }
    try exporter.finish()
    return pieces.bytes
}

/// Collects the pieces of a sink.
final class Pieces {
    private(set) var bytes: [UInt8] = []
    private(set) var largest = 0

    func append(_ piece: RawSpan) {
        unsafe piece.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        largest = max(largest, piece.byteCount)
    }
}

/// Random numbers that a seed reproduces (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
