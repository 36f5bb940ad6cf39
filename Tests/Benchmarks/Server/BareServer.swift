internal import CBareHTTPServer
internal import Platform

/// A server of libmicrohttpd alone that answers each request with the same constant, in a process of its own.
enum BareServer {
    static let childArgument = "--bare-server"

    /// Starts one with two threads whose answer has the fields and the content of another.
    static func start(
        like answer: HTTPAnswerBuffer, leavingOut own: [String], in folder: ScratchFolder
    ) throws -> ServerProcess {
        var words = [CommandLine.arguments[0], childArgument, answer.text]
        for field in answer.fields where !own.contains(field.name) {
            words += [field.name, field.value]
        }
        return try ServerProcess(words, log: "bare-server.log", in: folder)
    }

    /// Serves until a signal ends it: the content, then names and values of the fields.
    static func runChild(_ arguments: [String]) -> Int32 {
        let fields = unsafe arguments.dropFirst().map { unsafe UnsafePointer(strdup($0)) } + [nil]
        let body = Array((arguments.first ?? "").utf8)
        let port = unsafe bare_http_server_start(2, fields, body, body.count)
        guard port > 0 else { return 1 }
        let line = Array("http://127.0.0.1:\(port)\n".utf8)
        guard unsafe write(2, line, line.count) == line.count else { return 1 }
        while true { pause() }
    }
}
