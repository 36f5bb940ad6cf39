internal import Application
internal import HTTPServer

extension HTTPResponse {
    private static let json = "application/json"

    /// The response with a JSON result.
    static func result(_ json: String, warnings: String = "") -> HTTPResponse {
        page(200, Self.json, Array(#"{"result":\#(json),"warnings":[\#(warnings)]}"#.utf8))
    }

    /// The response with an error.
    static func failure(_ error: PageRequestError) -> HTTPResponse {
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

    /// The response with the output of a command whose exit code, by default 1, says that its report has findings; nil for each exit code.
    static func report(_ outcome: OperationOutcome, orCode code: Int32? = 1) -> HTTPResponse {
        guard code ?? outcome.exitCode == outcome.exitCode, !outcome.output.isEmpty else {
            return .outcome(outcome)
        }
        return .outcome(
            OperationOutcome(exitCode: 0, output: outcome.output, errors: outcome.errors))
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
