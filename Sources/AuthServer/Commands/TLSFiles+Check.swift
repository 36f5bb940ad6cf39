internal import CommandLine
internal import HTTPServer

extension TLSFiles {
    /// Reads certificate and key, and finds out whether they can be used: by a server that nobody asks, at a port that the system chooses.
    func check() throws {
        let options = HTTPServerOptions(identity: try read(), threads: 1)
        do throws(HTTPServerError) {
            try HTTPServer(options, NoHandler()).stop(within: .zero)
        } catch {
            throw CommandFailure(error, at: "127.0.0.1", self)
        }
    }
}

/// Answers nobody.
private struct NoHandler: HTTPHandler {
    func answer(_ request: HTTPRequest) -> HTTPAnswer { .now(HTTPResponse(status: 404)) }
    func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse {
        HTTPResponse(status: status)
    }
    func didAnswer(_ exchange: HTTPExchange) {}
}

extension CommandFailure {
    /// Explains why a server does not start, or does not take another certificate.
    init(_ error: HTTPServerError, at place: String, _ tls: TLSFiles?) {
        switch error {
        case .addressNotNumeric:
            self.init(.usage, "\(place) is no numeric address")
        case .cannotListen(let code):
            self.init(
                .failure, code: "cannot_listen",
                "cannot listen on \(place): \(SystemFailure("bind", code: code).explanation)",
                hint: "--listen takes another address and port")
        case .identityRefused:
            let files = [tls?.certificate, tls?.key].compactMap { $0 }.joined(separator: " and ")
            self.init(
                .refused, code: "identity_refused",
                "certificate and key cannot be used, or do not belong together: \(files)")
        case .notEncrypted:
            self.init(.refused, code: "not_encrypted", "the server has no certificate to replace")
        case .outOfResources:
            self.init(
                .failure, code: "out_of_resources", "no threads or descriptors are to be had")
        case .stopped:
            self.init(.failure, code: "stopped", "the server is ending")
        }
    }
}
