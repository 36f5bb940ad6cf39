extension RequestHead {
    /// Why there is no request in this head: the status.
    struct Refusal: Error {
        let status: Int
    }

    /// The size of the content that follows, which is not limited by a maximum of 0, if the head is one that nobody can read in two ways (RFC 9112, 6.3) and is within limits.
    ///
    /// Chunks are not taken, because libmicrohttpd 0.9.75 accepts LF alone where CR LF ends them: a proxy may see another end of the request there.
    func contentSize(maximumHead: Int, maximumBody: Int) throws(Refusal) -> Int {
        if size > maximumHead { throw Refusal(status: 431) }
        let lengths = headers.values("Content-Length")
        let hosts = headers.values("Host")
        let isOld = version == "HTTP/1.0"
        guard isTrustworthy, lengths.count <= 1,
            lengths.allSatisfy({ HTTPSyntax.isNumber($0.utf8) }),
            hosts.count == 1 || hosts.isEmpty && isOld
        else { throw Refusal(status: 400) }
        guard headers.values("Transfer-Encoding").isEmpty else { throw Refusal(status: 411) }
        if let expectation = headers.values("Expect").first,
            !HTTPHeaders.areEqual(expectation, "100-continue")
        {
            throw Refusal(status: 417)
        }
        guard let length = lengths.first else { return 0 }
        // A number that is too long to be read is too large in any case.
        guard let size = Int(length), maximumBody == 0 || size <= maximumBody else {
            throw Refusal(status: 413)
        }
        return size
    }
}
