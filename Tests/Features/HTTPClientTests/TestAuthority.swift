import Foundation
import HTTPServer

/// A certificate authority in a folder, with certificates for servers.
struct TestAuthority {
    private static let openssl = "/usr/bin/openssl"
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: openssl) }

    private let folder: String
    private let name: String

    /// Makes an authority.
    init(_ name: String = "authority", in folder: String) throws {
        self.folder = folder
        self.name = name
        try run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", path("key"), "-out", path("pem"), "-days", "2", "-subj", "/CN=\(name)",
        ])
    }

    /// The file of the authority's own certificate.
    var file: String { path("pem") }

    /// Makes a certificate, in the files `server.pem` and `server.key` as well. Names are as OpenSSL writes them, `DNS:localhost`; a negative number of
    /// days makes an expired one.
    func identity(_ names: String = "IP:127.0.0.1,DNS:localhost", days: Int = 2) throws
        -> TLSIdentity
    {
        try run([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
            "\(folder)/server.key", "-out", "\(folder)/server.csr", "-subj", "/CN=server",
        ])
        try Data("subjectAltName=\(names)\n".utf8).write(
            to: URL(filePath: "\(folder)/server.ext"))
        try run([
            "x509", "-req", "-in", "\(folder)/server.csr", "-CA", path("pem"), "-CAkey",
            path("key"), "-CAcreateserial", "-out", "\(folder)/server.pem", "-days", "\(days)",
            "-extfile", "\(folder)/server.ext",
        ])
        return TLSIdentity(
            certificate: try bytes("server.pem"), key: RequestBody(try bytes("server.key")))
    }

    /// The pin of the last certificate, as OpenSSL computes it.
    func pin() throws -> String {
        let key = try run(["x509", "-in", "\(folder)/server.pem", "-noout", "-pubkey"])
        try key.write(to: URL(filePath: "\(folder)/public.pem"))
        try run([
            "pkey", "-pubin", "-in", "\(folder)/public.pem", "-outform", "DER", "-out",
            "\(folder)/public.der",
        ])
        return "sha256//"
            + (try run(["dgst", "-sha256", "-binary", "\(folder)/public.der"]))
            .base64EncodedString()
    }

    private func path(_ ending: String) -> String { "\(folder)/\(name).\(ending)" }

    private func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
    }

    @discardableResult
    private func run(_ arguments: [String]) throws -> Data {
        try TestProgram.run(Self.openssl, arguments).output
    }
}
