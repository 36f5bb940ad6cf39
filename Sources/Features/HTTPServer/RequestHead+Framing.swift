extension RequestHead {
    /// The result of checking a head.
    enum Framing: Equatable {
        /// Content of this size in bytes follows.
        case content(size: Int)
        /// Content of this size in bytes is announced, which exceeds the maximum.
        case large(size: Int)
        /// Content in chunks follows.
        case chunks
        /// The request must be refused with this status.
        case refused(status: Int)
    }

    /// Checks the limits, and that the framing is unambiguous (RFC 9112, section 6.3). A maximum of
    /// 0 means no limit.
    ///
    /// Earlier versions of libmicrohttpd accept a bare LF where CR LF ends a chunk, so a proxy may see another
    /// end of the request (``ChunkLines``). The connection therefore closes after chunks.
    func framing(maximumHead: Int, maximumBody: Int) -> Framing {
        if size > maximumHead { return .refused(status: 431) }
        let lengths = headers.values("Content-Length")
        let hosts = headers.values("Host")
        let isOld = version == "HTTP/1.0"
        guard isVerified, lengths.count <= 1,
            lengths.allSatisfy({ HTTPSyntax.isNumber($0.utf8) }),
            hosts.count == 1 || hosts.isEmpty && isOld
        else { return .refused(status: 400) }
        let codings = headers.values("Transfer-Encoding")
        // `Transfer-Encoding` with a length or in HTTP/1.0 is an attempt at request smuggling (RFC
        // 9112, section 6.1).
        guard codings.isEmpty || lengths.isEmpty && !isOld else { return .refused(status: 400) }
        guard codings.isEmpty || codings.count == 1 && HTTPHeaders.areEqual(codings[0], "chunked")
        else { return .refused(status: 501) }
        if let expectation = headers.values("Expect").first,
            !HTTPHeaders.areEqual(expectation, "100-continue")
        {
            return .refused(status: 417)
        }
        guard codings.isEmpty else { return .chunks }
        guard let length = lengths.first else { return .content(size: 0) }
        // A number that exceeds `Int` is also too large.
        guard let size = Int(length) else { return .refused(status: 413) }
        return maximumBody == 0 || size <= maximumBody ? .content(size: size) : .large(size: size)
    }
}
