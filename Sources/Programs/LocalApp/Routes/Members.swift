internal import HTTPServer
internal import SecretMemory
internal import TextCoding

/// A request that is refused before a command runs.
struct RequestError: Error, JSONReadingFailure {
    let status: Int
    let code: String
    let message: String

    init(_ message: String, status: Int = 400, code: String = "bad_request") {
        self.status = status
        self.code = code
        self.message = message
    }

    static func invalidJSON(line: Int) -> RequestError { RequestError("the content is not JSON") }
}

/// The members of a JSON object, or the parameters of a query.
///
/// Values stay encoded until they are read, so that secrets are decoded only into guarded memory.
struct Members: Sendable {
    enum Value: Sendable {
        /// A JSON value in this range of the body.
        case json(JSONKind, Range<Int>)
        /// The decoded values of a query parameter.
        case query([String])
    }

    private let body: RequestBody
    private(set) var values: [String: Value] = [:]

    /// Reads the body of a request, a JSON object or nothing. For `GET` it reads the query.
    ///
    /// - Throws: ``RequestError``.
    init(_ request: HTTPRequest) throws {
        body = request.body
        if request.method == "GET" {
            for (name, value) in try Self.parameters(request.query ?? "") {
                if case .query(let earlier) = values[name] {
                    values[name] = .query(earlier + [value])
                } else {
                    values[name] = .query([value])
                }
            }
            return
        }
        guard body.count > 0 else { return }
        guard request.headers.values("Content-Type") == ["application/json"] else {
            throw RequestError("the content is not application/json")
        }
        values = try body.withBytes { (bytes) throws in
            var values: [String: Value] = [:]
            var reader = JSONReader<RequestError>(bytes)
            var isFirst = true
            while let key = try reader.nextKey(in: bytes, isFirst: isFirst) {
                isFirst = false
                let kind = try reader.nextKind(in: bytes)
                let value = Value.json(kind, try reader.rangeOfValue(in: bytes))
                guard values.updateValue(value, forKey: key) == nil else {
                    throw RequestError("a member is there twice")
                }
            }
            try reader.expectEnd(in: bytes)
            return values
        }
    }

    /// Whether the member exists.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// Whether the member is null.
    func isNull(_ name: String) -> Bool {
        if case .json(.null, _) = values[name] { true } else { false }
    }

    /// A string, or a number as text; nil if it is missing.
    ///
    /// - Throws: ``RequestError`` for another type.
    func text(_ name: String) throws -> String? {
        switch values[name] {
        case nil: return nil
        case .query(let texts):
            guard texts.count == 1 else { throw RequestError("\(name) is there twice") }
            return texts[0]
        case .json(.string, let range):
            return try read(range) { try $0.text(in: $1) }
        case .json(.number, let range):
            return try read(range) { try $0.numberText(in: $1) }
        case .json: throw RequestError("\(name) is no text")
        }
    }

    /// The strings of an array; empty if it is missing.
    ///
    /// - Throws: ``RequestError`` for another type.
    func texts(_ name: String) throws -> [String] {
        switch values[name] {
        case nil: return []
        case .query(let texts): return texts
        case .json(.array, let range):
            return try read(range) { reader, bytes in
                var texts: [String] = []
                while try reader.nextElement(in: bytes, isFirst: texts.isEmpty) {
                    texts.append(try reader.text(in: bytes))
                }
                return texts
            }
        case .json: throw RequestError("\(name) is no array of texts")
        }
    }

    /// A boolean, or `1` in a query; false if it is missing.
    ///
    /// - Throws: ``RequestError`` for another type.
    func flag(_ name: String) throws -> Bool {
        switch values[name] {
        case nil, .json(.null, _): return false
        case .query(let texts) where texts == ["1"]: return true
        case .json(.boolean, let range):
            return try read(range) { try $0.boolean(in: $1) }
        default: throw RequestError("\(name) is neither true nor false")
        }
    }

    /// Whether the member is a boolean.
    func isFlag(_ name: String) -> Bool {
        if case .json(.boolean, _) = values[name] { true } else { false }
    }

    /// A string in guarded memory; nil if it is missing.
    ///
    /// - Throws: ``RequestError`` for another type; `SecretMemoryError.outOfMemory`.
    func secret(_ name: String) throws -> SecretBytes? {
        guard let value = values[name] else { return nil }
        guard case .json(.string, let range) = value else {
            throw RequestError("\(name) is no text")
        }
        return try body.withBytes { (bytes) throws -> SecretBytes in
            let part = bytes.extracting(range)
            var reader = JSONReader<RequestError>(part)
            var secret = try SecretBytes(count: part.byteCount)
            try reader.secret(in: part, into: &secret)
            return secret
        }
    }

    private func read<Result>(
        _ range: Range<Int>, _ body: (inout JSONReader<RequestError>, RawSpan) throws -> Result
    ) throws -> Result {
        try self.body.withBytes { (bytes) throws in
            let part = bytes.extracting(range)
            var reader = JSONReader<RequestError>(part)
            return try body(&reader, part)
        }
    }

    private static func parameters(_ query: String) throws -> [(String, String)] {
        try query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (try decode(parts[0]), parts.count > 1 ? try decode(parts[1]) : "")
        }
    }

    /// Decodes percent-encoding in a path, a query or a form (URL Standard, section 1.3). `+` is a
    /// space.
    static func decode(_ text: Substring) throws -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard rest.count >= 2,
                    let decoded = Hexadecimal.bytes(
                        String(decoding: rest.prefix(2), as: UTF8.self).lowercased())
                else { throw RequestError("the address is malformed") }
                bytes += decoded
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self), !decoded.contains("\0") else {
            throw RequestError("the address is malformed")
        }
        return decoded
    }
}
