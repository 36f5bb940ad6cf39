internal import Application
internal import HTTPServer
internal import Passkeys
internal import Platform

/// An authorized request of a page.
struct AppRequest {
    let http: HTTPRequest
    /// The members of the JSON object or the query.
    let members: Members
    /// The parameters of the path, by name.
    let parameters: [String: String]
    let runner: any OperationRunner
    let uploads: Uploads
    /// The origin of the page.
    let origin: PageOrigin

    /// Runs a command.
    ///
    /// - Parameters:
    ///   - words: The command and its options.
    ///   - operands: The operands.
    ///   - isJSON: Whether the command prints JSON.
    ///   - input: The standard input.
    /// - Returns: The outcome.
    /// - Throws: ``PageRequestError`` if the process has no more pipes or threads.
    func run(
        _ words: [String], operands: [String] = [], asJSON isJSON: Bool = true,
        input: CommandInput? = nil
    ) throws -> OperationOutcome {
        do {
            return try runner.run(words, operands: operands, asJSON: isJSON, input: input?.writer)
        } catch is SystemFailure {
            throw PageRequestError("out of resources", status: 503, code: "busy")
        }
    }
}

/// The action of a method and path.
struct PageRoute: Sendable {
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
