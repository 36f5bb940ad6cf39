internal import CCrypto
internal import Platform
package import TextCoding

/// An X.509 certificate, freed at the end of its lifetime. Not thread-safe.
@safe package struct Certificate: ~Copyable {
    private let library: CryptoLibrary
    private let certificate: OpaquePointer

    /// Parses the first certificate of a PEM chain; nil without a valid one.
    ///
    /// The corresponding C function is `PEM_read_bio_X509`.
    ///
    /// - Throws: ``LibCryptoError/missing``.
    package init?(pem: [UInt8]) throws {
        let library = try CryptoLibrary.required()
        let found = unsafe pem.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let start = bytes.baseAddress,
                let source = unsafe library.functions.pointee.BIO_new_mem_buf(
                    start, Int32(bytes.count))
            else { return nil }
            defer { _ = unsafe library.functions.pointee.BIO_free(source) }
            return unsafe library.functions.pointee.PEM_read_bio_X509(source, nil, nil, nil)
        }
        guard let found = unsafe found else { return nil }
        self.library = library
        unsafe certificate = unsafe found
    }

    deinit { unsafe library.functions.pointee.X509_free(certificate) }

    /// Whether the certificate is valid for a host name or an IP address, with IPv6 in brackets.
    ///
    /// The corresponding C functions are `X509_check_host` and `X509_check_ip_asc`.
    package borrowing func isFor(host: String) -> Bool {
        let address = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return unsafe library.functions.pointee.X509_check_ip_asc(certificate, address, 0) == 1
            || library.functions.pointee.X509_check_host(
                certificate, host, host.utf8.count, 0, nil) == 1
    }

    /// Whether the validity period (notAfter) has ended at a time. The corresponding C function is `X509_cmp_time`.
    package borrowing func isExpired(at time: PointInTime) -> Bool {
        guard let end = unsafe library.functions.pointee.X509_get0_notAfter(certificate) else {
            return false
        }
        var now = time_t(time.seconds)
        return unsafe library.functions.pointee.X509_cmp_time(end, &now) < 0
    }

    /// Whether the validity period (notBefore) has begun at a time. The corresponding C function is `X509_cmp_time`.
    package borrowing func hasBegun(at time: PointInTime) -> Bool {
        guard let beginning = unsafe library.functions.pointee.X509_get0_notBefore(certificate)
        else { return true }
        var now = time_t(time.seconds)
        return unsafe library.functions.pointee.X509_cmp_time(beginning, &now) <= 0
    }
}
