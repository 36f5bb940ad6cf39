internal import SecureStorage
internal import TextCoding

/// The name of a statement: `hash(32, no key, statement)`, with its signature.
package struct StatementID: Hashable, Comparable, Sendable {
    static let size = 32
    /// No statement.
    static let none = StatementID(unchecked: [UInt8](repeating: 0, count: size))

    package let bytes: [UInt8]

    init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// Creates an id from its bytes; nil for another size.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// Creates an id from 64 hexadecimal digits, the name of its file; nil for any other text.
    package init?(text: String) {
        guard let bytes = Hexadecimal.bytes(text) else { return nil }
        self.init(bytes)
    }

    /// 64 hexadecimal digits.
    package var text: String { Hexadecimal.text(bytes) }

    package static func < (left: StatementID, right: StatementID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension ByteReader {
    mutating func statementID() -> StatementID? {
        raw(StatementID.size).flatMap { StatementID($0) }
    }
}
