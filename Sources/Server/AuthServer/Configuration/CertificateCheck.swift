internal import CCrypto
internal import CommandLine
internal import HTTPServer
internal import Platform
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
        guard let library = unsafe ccrypto_shared() else { return nil }
        return unsafe certificate.withUnsafeBytes { bytes -> CertificateFault? in
            guard let start = bytes.baseAddress,
                let source = unsafe library.pointee.BIO_new_mem_buf(start, Int32(bytes.count))
            else { return nil }
            defer { _ = unsafe library.pointee.BIO_free(source) }
            guard let found = unsafe library.pointee.PEM_read_bio_X509(source, nil, nil, nil)
            else { return nil }
            defer { unsafe library.pointee.X509_free(found) }
            let address = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
            let isNamed =
                unsafe library.pointee.X509_check_ip_asc(found, address, 0) == 1
                || library.pointee.X509_check_host(found, host, host.utf8.count, 0, nil) == 1
            var now = time_t(time.seconds)
            if let end = unsafe library.pointee.X509_get0_notAfter(found),
                unsafe library.pointee.X509_cmp_time(end, &now) < 0
            {
                return .expired
            }
            if let beginning = unsafe library.pointee.X509_get0_notBefore(found),
                unsafe library.pointee.X509_cmp_time(beginning, &now) > 0
            {
                return .notYetValid
            }
            return isNamed ? nil : .otherName
        }
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
