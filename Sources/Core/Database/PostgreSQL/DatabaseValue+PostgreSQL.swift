extension DatabaseValue {
    /// The parameter type sent to the server.
    var type: PostgreSQLType {
        switch self {
        case .bytes: .bytes
        case .integer: .integer
        case .text: .text
        }
    }

    /// The value in PostgreSQL's binary format; nil for NULL.
    var encoded: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .integer(let integer):
            integer.map { integer in
                stride(from: 56, through: 0, by: -8).map {
                    UInt8(truncatingIfNeeded: integer >> Int64($0))
                }
            }
        case .text(let text): text.map { Array($0.utf8) }
        }
    }
}

/// The object id of a type, which is the same on every server (`pg_type.dat`).
enum PostgreSQLType: UInt32, Sendable {
    case bytes = 17
    case integer = 20
    case text = 25
}
