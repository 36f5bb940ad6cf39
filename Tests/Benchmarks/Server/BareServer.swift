internal import CBareHTTPServer
internal import Platform

/// A server of libmicrohttpd alone that answers each request with the same constant, in a process of its own.
enum BareServer {
    static let childArgument = "--bare-server"
    /// The columns of a token, its session and its account that an introspection needs.
    private static let selection = """
        SELECT t.issued, t.expires, s.id, s.account, s.client, s.expires, a.email, a.verified, a.disabled
        FROM access_tokens AS t JOIN sessions AS s ON s.id = t.session
        JOIN accounts AS a ON a.id = s.account WHERE t.hash = $1
        """

    /// Starts one with two threads whose answer has the fields and the content of another. From a file of accounts, if one is given, it reads for
    /// each answer what an introspection needs.
    static func start(
        like answer: HTTPAnswerBuffer, leavingOut own: [String], reading database: String = "",
        in folder: ScratchFolder
    ) throws -> ServerProcess {
        var words = [CommandLine.arguments[0], "benchmark", childArgument, database, answer.text]
        for field in answer.fields where !own.contains(field.name) {
            words += [field.name, field.value]
        }
        let log = database.isEmpty ? "bare-server.log" : "reading-server.log"
        return try ServerProcess(words, log: log, in: folder)
    }

    /// Serves until a signal ends it: the database, the content, then names and values of the fields.
    static func runChild(_ arguments: [String]) -> Int32 {
        guard let database = arguments.first else { return 2 }
        let arguments = arguments.dropFirst()
        if !database.isEmpty {
            let read = unsafe bare_http_server_read_first(
                strdup(database), strdup("SELECT hash FROM access_tokens"), strdup(selection))
            guard read == 0 else { return 1 }
        }
        let fields = unsafe arguments.dropFirst().map { unsafe UnsafePointer(strdup($0)) } + [nil]
        let body = Array((arguments.first ?? "").utf8)
        let port = unsafe bare_http_server_start(2, fields, body, body.count)
        guard port > 0 else { return 1 }
        let line = Array("http://127.0.0.1:\(port)\n".utf8)
        guard unsafe write(2, line, line.count) == line.count else { return 1 }
        while true { pause() }
    }
}
