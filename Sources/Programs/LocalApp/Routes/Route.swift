internal import HTTPServer
internal import Platform
internal import SecretMemory
internal import Application
internal import TextCoding

/// An authorized request of a page.
struct AppRequest {
    let http: HTTPRequest
    /// The members of the JSON object or the query.
    let members: Members
    /// The parameters of the path, by name.
    let parameters: [String: String]
    let runner: any OperationRunner
    let uploads: Uploads
    /// The port of the page.
    let port: UInt16

    /// Runs a command.
    ///
    /// - Parameters:
    ///   - words: The command and its options.
    ///   - operands: The operands.
    ///   - isJSON: Whether the command prints JSON.
    ///   - input: The standard input.
    /// - Returns: The outcome.
    /// - Throws: ``RequestError`` if the process has no more pipes or threads.
    func run(
        _ words: [String], operands: [String] = [], asJSON isJSON: Bool = true,
        input: CommandInput? = nil
    ) throws -> OperationOutcome {
        do {
            return try runner.run(words, operands: operands, asJSON: isJSON, input: input?.writer)
        } catch is SystemFailure {
            throw RequestError("out of resources", status: 503, code: "busy")
        }
    }
}

/// The standard input of a command, in guarded memory.
final class CommandInput: Sendable {
    private let bytes: SecretBytes

    init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// Takes required members as lines.
    convenience init(lines names: [String], of members: Members) throws {
        var parts = CommandInputParts()
        for name in names {
            guard let line = try members.secret(name) else {
                throw RequestError("\(name) is missing")
            }
            try parts.add(line: line, name)
        }
        self.init(try parts.take())
    }

    /// Writes the input to a descriptor.
    var writer: @Sendable (Int32) throws -> Void {
        { descriptor in try self.bytes.withBytes { try Descriptor.write($0, to: descriptor) } }
    }
}

/// Collects the standard input of a command.
struct CommandInputParts: ~Copyable {
    private var bytes: SecretBytes?

    /// Appends a text as a line.
    mutating func add(line: borrowing SecretBytes, _ name: String) throws {
        guard line.withBytes({ !$0.contains(0x0A) && !$0.contains(0x0D) }) else {
            throw RequestError("\(name) has a line end")
        }
        try add(line)
        try add(try SecretBytes(copying: unsafe [UInt8(0x0A)].span.bytes))
    }

    /// Appends bytes.
    mutating func add(_ more: borrowing SecretBytes) throws {
        let joined =
            switch bytes.take() {
            case .some(let earlier): try earlier.joined(with: more)
            case .none: try more.copy()
            }
        bytes = .some(joined)
    }

    /// Returns the whole input, once.
    mutating func take() throws -> SecretBytes {
        switch bytes.take() {
        case .some(let bytes): bytes
        case .none: try SecretBytes(count: 0)
        }
    }
}

/// The action of a method and path.
struct Route: Sendable {
    let method: String
    /// The segments of the path after `/api/`. A segment in braces is a parameter.
    let path: [String]
    /// The accepted members.
    let members: Set<String>
    let work: @Sendable (AppRequest) throws -> HTTPResponse

    /// Makes a route such as `GET`, `tasks/{id}`.
    init(
        _ method: String, _ path: String, _ members: Set<String> = [],
        _ work: @escaping @Sendable (AppRequest) throws -> HTTPResponse
    ) {
        self.method = method
        self.path = path.split(separator: "/").map(String.init)
        self.members = members
        self.work = work
    }

    /// The parameters of a path; nil if it does not match.
    func parameters(_ segments: [String]) -> [String: String]? {
        guard segments.count == path.count else { return nil }
        var parameters: [String: String] = [:]
        for (pattern, segment) in zip(path, segments) {
            if pattern.hasPrefix("{") {
                guard !segment.isEmpty else { return nil }
                parameters[String(pattern.dropFirst().dropLast())] = segment
            } else if pattern != segment {
                return nil
            }
        }
        return parameters
    }
}

extension HTTPResponse {
    private static let json = "application/json"

    /// The response with a JSON result.
    static func result(_ json: String, warnings: String = "") -> HTTPResponse {
        page(200, Self.json, Array(#"{"result":\#(json),"warnings":[\#(warnings)]}"#.utf8))
    }

    /// The response with an error.
    static func failure(_ error: RequestError) -> HTTPResponse {
        // These texts come from this program and need no escapes.
        page(
            error.status, json,
            Array(
                #"{"error":{"code":"\#(error.code)","message":"\#(error.message)","hint":null}}"#
                    .utf8))
    }

    /// The response with the output of a command. `after` adds members to its object.
    static func outcome(_ outcome: OperationOutcome, adding after: String = "") -> HTTPResponse {
        let lines = outcome.errors.split(separator: 0x0A)
        guard outcome.exitCode == 0 else {
            let error = lines.last { $0.starts(with: #"{"code":"#.utf8) }
            let text =
                error.map { String(decoding: $0, as: UTF8.self) }
                ?? #"{"code":"failure","message":"the command failed","hint":null}"#
            return page(status(outcome.exitCode), json, Array(#"{"error":\#(text)}"#.utf8))
        }
        let warnings = lines.filter { $0.starts(with: #"{"warning":"#.utf8) }.map {
            #"{"code""# + String(decoding: $0.dropFirst(#"{"warning""#.utf8.count), as: UTF8.self)
        }
        var result = outcome.output[...]
        while result.last == 0x0A { result = result.dropLast() }
        var body: [UInt8] = []
        body.reserveCapacity(result.count + after.utf8.count + outcome.errors.count + 64)
        body += #"{"result":"#.utf8
        if result.isEmpty {
            body += (after.isEmpty ? "null" : "{\(after.dropFirst())}").utf8
        } else {
            body += after.isEmpty ? result : result.dropLast()
            if !after.isEmpty { body += (after + "}").utf8 }
        }
        body += (#","warnings":["# + warnings.joined(separator: ",") + "]}").utf8
        return page(200, json, body)
    }

    /// The status code for an exit code. Pages use only the error's `code`.
    private static func status(_ exitCode: Int32) -> Int {
        switch exitCode {
        case 2: 400
        case 3: 423
        case 4, 8: 403
        case 5: 404
        case 6: 409
        case 7: 422
        case 9, 10: 502
        default: 500
        }
    }
}
