internal import CommandLine
internal import HTTPServer
internal import SecretMemory
internal import TextCoding

/// The files of a certificate and its key. They are read at the server's start and on SIGHUP.
struct TLSFiles: Sendable, Hashable {
    /// The largest file, in bytes.
    private static let maximumSize = 1_048_576

    /// The certificate chain, as PEM.
    let certificate: String
    /// The key, as PEM.
    let key: String

    /// The files named by the settings; nil if neither is set.
    ///
    /// - Throws: `Failure` if only one is set.
    init?(_ settings: SettingSources) throws {
        let certificate = settings.value(ServerSettings.certificate)
        let key = settings.value(ServerSettings.key)
        switch (certificate, key) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            self.certificate = certificate
            self.key = key
        case (_?, nil):
            throw settings.failure(ServerSettings.certificate, "requires tls-key")
        case (nil, _?):
            throw settings.failure(ServerSettings.key, "requires tls-certificate")
        }
    }

    /// Reads both files.
    ///
    /// - Throws: `Failure` that names the file.
    func read() throws -> TLSIdentity {
        let certificate = try Self.file(certificate, "the certificate")
        let key = try Self.file(key, "the key")
        if key.isReadableByOthers {
            throw Failure(
                .refused, code: "readable_by_others", "all users can read the key \(self.key)",
                hint: "chmod o= \(ShellText.quote(self.key))")
        }
        return TLSIdentity(
            certificate: certificate.content.withBytes { $0.array },
            key: key.content.withBytes { RequestBody(copying: $0) })
    }

    private static func file(_ path: String, _ subject: String) throws -> TrustedFile {
        do {
            return try TrustedFile(path, limit: maximumSize, followingLinks: true)
        } catch {
            throw Failure(error, reading: subject, path)
        }
    }

    /// Reads certificate and key, and verifies that they match with a server on a port that the
    /// system chooses.
    ///
    /// - Returns: Both.
    /// - Throws: `Failure`, `HTTPServerError`.
    func check() throws -> TLSIdentity {
        let identity = try read()
        let options = HTTPServerOptions(identity: identity, threads: 1)
        try HTTPServer(options, NoHandler()).stop(within: .zero)
        return identity
    }
}

/// The handler of a server without clients.
private struct NoHandler: HTTPHandler {
    func answer(_ request: HTTPRequest) -> HTTPAnswer { .now(HTTPResponse(status: 404)) }
    func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse {
        HTTPResponse(status: status)
    }
    func didAnswer(_ exchange: HTTPExchange) {}
}
