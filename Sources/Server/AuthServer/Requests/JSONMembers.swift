internal import Accounts
internal import HTTPServer
internal import SecretMemory
internal import TextCoding

/// The members of a JSON object of strings (RFC 8259), without nesting.
struct JSONMembers {
    private let body: RequestBody
    /// The names, each with a reader before its value.
    private let members: [(name: String, reader: JSONReader<ContentError>)]

    /// Parses the object.
    ///
    /// - Parameters:
    ///   - body: The content.
    ///   - known: The known names.
    ///   - limit: The largest number of members; 0 is no limit.
    /// - Throws: `ContentError`.
    init(_ body: RequestBody, known: [String], limit: Int) throws {
        self.body = body
        members = try body.withBytes { try Self.members($0, limit: limit == 0 ? .max : limit) }
        var seen: Set<String> = []
        for (name, _) in members {
            guard known.contains(name) else { throw ContentError.unknown(name) }
            guard seen.insert(name).inserted else { throw ContentError.repeated(name) }
        }
    }

    /// The value of a member; nil if it is missing.
    ///
    /// - Throws: `ContentError`.
    func text(_ name: String) throws -> String? {
        guard var reader = members.first(where: { $0.name == name })?.reader else { return nil }
        return try body.withBytes { try reader.text(in: $0) }
    }

    /// The value of a secret member; nil if it is missing.
    ///
    /// - Throws: `ContentError`, `SecretMemoryError`.
    func secret(_ name: String) throws -> SecretBytes? {
        guard var reader = members.first(where: { $0.name == name })?.reader else { return nil }
        return try body.withBytes { bytes -> SecretBytes in
            var secret = try SecretBytes(count: bytes.byteCount)
            try reader.secret(in: bytes, into: &secret)
            return secret
        }
    }

    private static func members(
        _ bytes: RawSpan, limit: Int
    ) throws -> [(name: String, reader: JSONReader<ContentError>)] {
        var reader = JSONReader<ContentError>(bytes)
        var members: [(name: String, reader: JSONReader<ContentError>)] = []
        while let name = try reader.nextKey(in: bytes, isFirst: members.isEmpty) {
            guard try reader.nextKind(in: bytes) == .string, members.count < limit else {
                throw reader.unexpected(in: bytes)
            }
            members.append((name, reader))
            try reader.skipString(in: bytes)
        }
        try reader.expectEnd(in: bytes)
        return members
    }
}

/// A received secret in guarded memory, for a closure that runs later.
final class HeldSecret: Sendable {
    private let bytes: SecretBytes?

    init(_ bytes: consuming SecretBytes?) {
        self.bytes = bytes
    }

    /// Whether the secret is missing.
    var isMissing: Bool { bytes == nil }

    /// The secret as a password.
    ///
    /// - Throws: `AccountError`; `SealingError.outOfMemory`.
    func password() throws -> AccountPassword {
        switch bytes {
        case .some(let bytes): try AccountPassword(typed: bytes)
        case .none: throw AccountError.passwordTooShort
        }
    }
}
