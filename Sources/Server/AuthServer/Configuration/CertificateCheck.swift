internal import CommandLine
internal import HTTPServer
internal import LibCrypto
internal import TextCoding

/// A fault of a certificate that clients would detect.
enum CertificateFault: Hashable {
    /// It does not name the host of the issuer.
    case otherName
    /// It is not yet valid.
    case notYetValid
    /// It has expired.
    case expired

    /// Finds the fault of the first certificate of a chain.
    ///
    /// - Parameters:
    ///   - certificate: The chain as PEM, which was parsed before.
    ///   - host: The host of the issuer; an IPv6 address in brackets.
    ///   - time: The current time.
    /// - Returns: The fault; nil for none, and if libcrypto is not installed.
    static func find(
        in certificate: [UInt8], for host: String, at time: PointInTime
    ) -> CertificateFault? {
        guard let found = try? Certificate(pem: certificate) else { return nil }
        if found.isExpired(at: time) { return .expired }
        if !found.hasBegun(at: time) { return .notYetValid }
        return found.isFor(host: host) ? nil : .otherName
    }

    /// A stable name in snake_case.
    var code: String {
        switch self {
        case .otherName: "certificate_name"
        case .notYetValid: "certificate_not_yet_valid"
        case .expired: "certificate_expired"
        }
    }

    /// Describes the fault of the certificate in a file.
    func message(_ path: String, _ host: String) -> String {
        switch self {
        case .otherName: "the certificate \(path) is not for the issuer's host \(host)"
        case .notYetValid: "the certificate \(path) is not valid yet"
        case .expired: "the certificate \(path) has expired"
        }
    }
}

extension ServerConfiguration {
    /// The fault of a certificate; nil for none. Behind a trusted proxy its name may differ from
    /// the issuer's.
    func fault(of identity: TLSIdentity, at time: PointInTime) -> CertificateFault? {
        let fault = CertificateFault.find(
            in: identity.certificate, for: issuerHost, at: time)
        return fault == .otherName && !limits.trustedProxies.isEmpty ? nil : fault
    }

    /// The host of the issuer.
    var issuerHost: String { IssuerURL(issuerText)?.host ?? listen.address }
}
