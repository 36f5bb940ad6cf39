internal import Foundation

/// A certificate authority in a folder, and its server certificates.
package struct CertificateAuthority {
    /// The files of a certificate and its key.
    package struct Identity: Sendable {
        /// The certificate, as PEM.
        package let certificate: String
        /// The key, as PEM, readable by this user only.
        package let key: String

        /// The pin with which a client trusts only this key, computed by OpenSSL.
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

    /// Creates an authority.
    ///
    /// - Parameters:
    ///   - name: The name of the authority and its files.
    ///   - folder: The folder of the files.
    /// - Throws: The output of openssl.
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

    /// Creates a server's certificate and its key.
    ///
    /// - Parameters:
    ///   - file: The name of the files.
    ///   - names: The names, in OpenSSL's syntax.
    ///   - days: The validity in days; negative for an expired certificate.
    /// - Returns: The paths of both files.
    /// - Throws: The output of openssl.
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
