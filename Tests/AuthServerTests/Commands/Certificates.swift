import Foundation
import TestSupport

/// Certificates that sign themselves, by the program openssl.
struct Certificates {
    /// Whether there is openssl.
    static let canBeMade = OpenSSL.isAvailable

    let certificate: String
    let key: String

    init(_ home: ServerHome) throws {
        certificate = home.folder + "/certificate.pem"
        key = home.folder + "/key.pem"
    }

    /// Makes a certificate for a name, and a key unless the one that is there is kept, which does not belong to it then.
    func make(_ name: String, keepingKey: Bool = false, keyMode: Int = 0o600) throws {
        let fresh = keepingKey ? key + ".unused" : key
        try OpenSSL.run(
            ["req", "-x509"] + OpenSSL.newKey + [
                "-keyout", fresh, "-out", certificate, "-days", "2", "-subj", "/CN=\(name)",
            ])
        try FileManager.default.setAttributes([.posixPermissions: keyMode], ofItemAtPath: fresh)
    }

    /// The name in the certificate that a server shows.
    func subject(port: UInt16) throws -> String {
        let shown = try OpenSSL.run(["s_client", "-connect", "127.0.0.1:\(port)"])
        return String(decoding: shown, as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("subject=")
        }.map(String.init)
            ?? ""
    }
}
