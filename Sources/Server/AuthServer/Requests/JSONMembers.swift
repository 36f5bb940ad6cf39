internal import HTTPServer
internal import SecretMemory
internal import TextCoding

/// The content of a request: a JSON object whose values are strings.
struct JSONMembers {
    private let body: RequestBody
    private let object: JSONObject

    /// Parses the object.
    ///
    /// - Parameters:
    ///   - body: The content.
    ///   - known: The known names.
    ///   - limit: The largest number of members; 0 is no limit.
    /// - Throws: `ContentError`.
    init(_ body: RequestBody, known: [String], limit: Int) throws {
        self.body = body
        let object = try body.withBytes {
            try JSONObject($0, limit: limit == 0 ? .max : limit, ContentError.self)
        }
        for name in object.names {
            guard object.kind(of: name) == .string else { throw ContentError.malformed }
            guard known.contains(name) else { throw ContentError.unknown(name) }
        }
        self.object = object
    }

    /// The value of a member; nil if it is missing.
    func text(_ name: String) -> String? {
        body.withBytes { object.text(name, in: $0) }
    }

    /// The value of a secret member; nil if it is missing.
    ///
    /// - Throws: `SecretMemoryError`.
    func secret(_ name: String) throws -> SecretBytes? {
        try body.withBytes { (bytes) throws in try object.secret(name, in: bytes) }
    }
}
