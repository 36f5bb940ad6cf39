import Foundation
import TestSupport

/// Self-signed certificates, made by openssl.
struct Certificates {
    /// Whether openssl is installed.
    static let canBeMade = OpenSSL.isAvailable

    let certificate: String
    let key: String

    init(_ home: ServerHome) throws {
        certificate = home.folder + "/certificate.pem"
        key = home.folder + "/key.pem"
    }

    /// The hosts of the issuers of these tests.
    static let hosts = "DNS:auth.example.org,IP:127.0.0.1"

    /// Makes a certificate for a name, and its key unless the old one is kept, which then does not match.
    func make(
        _ name: String, hosts: String = Certificates.hosts, keepingKey: Bool = false,
        keyMode: Int = 0o600
    ) throws {
        let fresh = keepingKey ? key + ".unused" : key
        try OpenSSL.run(
            ["req", "-x509"] + OpenSSL.newKey + [
                "-keyout", fresh, "-out", certificate, "-days", "2", "-subj", "/CN=\(name)",
                "-addext", "subjectAltName=\(hosts)",
            ])
        try FileManager.default.setAttributes([.posixPermissions: keyMode], ofItemAtPath: fresh)
    }

    /// The name in a server's certificate.
    func subject(port: UInt16) throws -> String {
        let shown = try OpenSSL.run(["s_client", "-connect", "127.0.0.1:\(port)"])
        return String(decoding: shown, as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("subject=")
        }.map(String.init)
            ?? ""
    }
}
