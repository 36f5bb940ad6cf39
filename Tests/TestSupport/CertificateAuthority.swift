internal import Foundation

/// A certificate authority in a folder, and servers' certificates of it.
package struct CertificateAuthority {
    /// The files of a certificate and of its key.
    package struct Identity: Sendable {
        /// The certificate, as PEM.
        package let certificate: String
        /// The key, as PEM, which nobody else may read.
        package let key: String

        /// What a client can set to trust this key alone, by OpenSSL's own words.
        package func pin() throws -> String {
            let text = certificate + ".public"
            try Data(try OpenSSL.run(["x509", "-in", certificate, "-noout", "-pubkey"])).write(
                to: URL(fileURLWithPath: text))
            let key = try OpenSSL.run(["pkey", "-pubin", "-in", text, "-outform", "DER"])
            try Data(key).write(to: URL(fileURLWithPath: text))
            let hash = try OpenSSL.run(["dgst", "-sha256", "-binary", text])
            return "sha256//" + Data(hash).base64EncodedString()
        }
    }

    private let folder: String
    private let own: Identity

    /// Makes an authority.
    ///
    /// - Parameters:
    ///   - name: Its name, and that of its files.
    ///   - folder: Where they lie.
    /// - Throws: What openssl printed.
    package init(_ name: String = "authority", in folder: String) throws {
        self.folder = folder
        own = Identity(certificate: "\(folder)/\(name).pem", key: "\(folder)/\(name).key")
        try OpenSSL.run(
            ["req", "-x509"] + OpenSSL.newKey + [
                "-keyout", own.key, "-out", own.certificate, "-days", "2", "-subj", "/CN=\(name)",
            ])
    }

    /// The file of the authority's own certificate.
    package var certificate: String { own.certificate }

    /// Makes a server's certificate, and a key.
    ///
    /// - Parameters:
    ///   - file: What the files are called.
    ///   - names: As OpenSSL writes them.
    ///   - days: How long it is valid; negative for a time that is over.
    /// - Returns: Where both are.
    /// - Throws: What openssl printed.
    package func issue(
        _ file: String = "server", for names: String = "DNS:localhost,IP:127.0.0.1", days: Int = 2
    ) throws -> Identity {
        let path = "\(folder)/\(file)"
        let made = Identity(certificate: path + ".pem", key: path + ".key")
        try OpenSSL.run(
            ["req"] + OpenSSL.newKey + [
                "-keyout", made.key, "-out", path + ".request", "-subj", "/CN=server",
            ])
        try Data("subjectAltName=\(names)\n".utf8).write(
            to: URL(fileURLWithPath: path + ".names"))
        try OpenSSL.run([
            "x509", "-req", "-in", path + ".request", "-CA", own.certificate, "-CAkey", own.key,
            "-CAcreateserial", "-out", made.certificate, "-days", "\(days)", "-extfile",
            path + ".names",
        ])
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: made.key)
        return made
    }
}
