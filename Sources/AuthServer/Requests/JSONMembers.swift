internal import HTTPServer
internal import SecretMemory
internal import TextCoding

/// Why the content of a request is not the object that is expected.
enum JSONMembersError: Error, Hashable {
    /// It is not JSON, or not one object of strings, or has a member twice.
    case malformed
    /// It has a member that means nothing here.
    case unknown(String)
    /// No memory for a secret.
    case outOfMemory
}

/// The members of a JSON object whose values are strings (RFC 8259), without nesting.
struct JSONMembers {
    private struct Failure: JSONReadingFailure {
        static func invalidJSON(line: Int) -> Failure { Failure() }
    }

    private let body: RequestBody
    /// Where the readers stand before each value.
    private let members: [(name: String, reader: JSONReader<Failure>)]

    /// Reads the object.
    ///
    /// - Parameters:
    ///   - body: The content.
    ///   - known: The names that it may have.
    ///   - limit: How many members there may be, known or not; 0 is no limit.
    /// - Throws: `malformed`, `unknown`.
    init(_ body: RequestBody, known: [String], limit: Int) throws(JSONMembersError) {
        self.body = body
        members = try body.withBytes { (bytes) throws(JSONMembersError) in
            do throws(Failure) {
                return try Self.members(bytes, limit: limit == 0 ? .max : limit)
            } catch {
                throw .malformed
            }
        }
        var seen: Set<String> = []
        for (name, _) in members {
            guard known.contains(name) else { throw .unknown(name) }
            guard seen.insert(name).inserted else { throw .malformed }
        }
    }

    /// The value of a member; nil where there is none.
    func text(_ name: String) throws(JSONMembersError) -> String? {
        guard var reader = members.first(where: { $0.name == name })?.reader else { return nil }
        return try body.withBytes { (bytes) throws(JSONMembersError) in
            do throws(Failure) {
                return try reader.text(in: bytes)
            } catch {
                throw .malformed
            }
        }
    }

    /// The value of a member that is a secret; nil where there is none.
    func secret(_ name: String) throws(JSONMembersError) -> SecretBytes? {
        guard var reader = members.first(where: { $0.name == name })?.reader else { return nil }
        return try body.withBytes { (bytes) throws(JSONMembersError) -> SecretBytes in
            var secret: SecretBytes
            do throws(SecretMemoryError) {
                secret = try SecretBytes(count: bytes.byteCount)
            } catch {
                throw .outOfMemory
            }
            do throws(Failure) {
                try reader.secret(in: bytes, into: &secret)
            } catch {
                throw .malformed
            }
            return secret
        }
    }

    private static func members(
        _ bytes: RawSpan, limit: Int
    ) throws(Failure) -> [(name: String, reader: JSONReader<Failure>)] {
        var reader = JSONReader<Failure>(bytes)
        var members: [(name: String, reader: JSONReader<Failure>)] = []
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
