internal import HTTPServer
internal import SecretMemory
internal import TextCoding

/// The members of a JSON object, or the parameters of a query.
///
/// Values stay encoded until they are read, so that secrets are decoded only into guarded memory.
struct Members: Sendable {
    private let body: RequestBody
    private var object: JSONObject?
    /// The decoded values of each query parameter.
    private var parameters: [String: [String]] = [:]

    /// Reads the body of a request, a JSON object or nothing. For `GET` it reads the query.
    ///
    /// - Throws: ``PageRequestError``.
    init(_ request: HTTPRequest) throws {
        body = request.body
        if request.method == "GET" {
            for (name, value) in try Self.parameters(request.query ?? "") {
                parameters[name, default: []].append(value)
            }
            return
        }
        guard body.count > 0 else { return }
        guard request.headers.values("Content-Type") == ["application/json"] else {
            throw PageRequestError("the content is not application/json")
        }
        object = try body.withBytes { (bytes) throws in
            try JSONObject(bytes, PageRequestError.self)
        }
    }

    /// The names of all members.
    var names: [String] { parameters.keys + (object?.names ?? []) }

    /// Whether the member exists.
    func has(_ name: String) -> Bool { parameters[name] != nil || kind(of: name) != nil }

    /// Whether the member is null.
    func isNull(_ name: String) -> Bool { kind(of: name) == .null }

    /// A string, or a number as text; nil if it is missing.
    ///
    /// - Throws: ``PageRequestError`` for another type.
    func text(_ name: String) throws -> String? {
        if let texts = parameters[name] {
            guard texts.count == 1 else { throw PageRequestError("\(name) is there twice") }
            return texts[0]
        }
        return try read(name, "is no text") {
            $0.text(name, in: $1) ?? $0.numberText(name, in: $1)
        }
    }

    /// The strings of an array; empty if it is missing.
    ///
    /// - Throws: ``PageRequestError`` for another type.
    func texts(_ name: String) throws -> [String] {
        if let texts = parameters[name] { return texts }
        return try read(name, "is no array of texts") { $0.texts(name, in: $1) } ?? []
    }

    /// A boolean, or `1` in a query; false if it is missing.
    ///
    /// - Throws: ``PageRequestError`` for another type.
    func flag(_ name: String) throws -> Bool {
        if parameters[name] == ["1"] { return true }
        if isNull(name) { return false }
        let problem = "is neither true nor false"
        guard parameters[name] == nil else { throw PageRequestError("\(name) \(problem)") }
        return try read(name, problem) { $0.flag(name, in: $1) } ?? false
    }

    /// Whether the member is a boolean.
    func isFlag(_ name: String) -> Bool { kind(of: name) == .boolean }

    /// A string in guarded memory; nil if it is missing.
    ///
    /// - Throws: ``PageRequestError`` for another type; `SecretMemoryError.outOfMemory`.
    func secret(_ name: String) throws -> SecretBytes? {
        guard has(name) else { return nil }
        guard let object, kind(of: name) == .string else {
            throw PageRequestError("\(name) is no text")
        }
        return try body.withBytes { (bytes) throws in try object.secret(name, in: bytes) }
    }

    private func kind(of name: String) -> JSONKind? { object?.kind(of: name) }

    /// Reads a member of the object; nil if it is missing.
    private func read<Value>(
        _ name: String, _ problem: String, _ value: (JSONObject, RawSpan) -> Value?
    ) throws -> Value? {
        guard let object, object.kind(of: name) != nil else { return nil }
        guard let value = body.withBytes({ value(object, $0) }) else {
            throw PageRequestError("\(name) \(problem)")
        }
        return value
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
                else { throw PageRequestError("the address is malformed") }
                bytes += decoded
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self), !decoded.contains("\0") else {
            throw PageRequestError("the address is malformed")
        }
        return decoded
    }
}
