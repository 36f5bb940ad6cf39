internal import CommandLine
internal import HTTPServer
internal import SecretMemory
internal import TextCoding

/// The files of a certificate and its key. They are read when the server starts, and again on SIGHUP.
struct TLSFiles: Sendable, Hashable {
    /// The largest file that is read, in bytes.
    private static let maximumSize = 1_048_576

    /// The certificate and those that vouch for it, as PEM.
    let certificate: String
    /// The key, as PEM.
    let key: String

    /// The files that the settings name; nil where they name none.
    init?(_ sources: SettingSources) throws {
        let certificate = sources.value(SettingTable.certificate)
        let key = sources.value(SettingTable.key)
        switch (certificate, key) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            self.certificate = certificate
            self.key = key
        case (_?, nil):
            throw sources.failure(SettingTable.certificate, "is given without tls-key")
        case (nil, _?):
            throw sources.failure(SettingTable.key, "is given without tls-certificate")
        }
    }

    /// Reads both.
    ///
    /// - Throws: A failure that names the file.
    func read() throws -> TLSIdentity {
        let certificate = try Self.file(certificate, "the certificate")
        let key = try Self.file(key, "the key")
        if key.isReadableByOthers {
            throw CommandFailure(
                .refused, code: "readable_by_others", "everybody can read the key \(self.key)",
                hint: "chmod o= \(ShellText.quote(self.key))")
        }
        return TLSIdentity(
            certificate: certificate.content.withBytes { $0.array },
            key: key.content.withBytes { RequestBody(copying: $0) })
    }

    private static func file(
        _ path: String, _ subject: String
    ) throws -> TrustedFile {
        do {
            return try TrustedFile(path, limit: maximumSize, followingLinks: true)
        } catch let error as TrustedFile.Failure {
            throw CommandFailure(error, reading: subject, path)
        }
    }
}
