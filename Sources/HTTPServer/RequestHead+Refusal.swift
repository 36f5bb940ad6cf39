extension RequestHead {
    /// How the content is sent.
    enum Content {
        case none
        case sized(Int)
        case chunked
    }

    /// Why there is no request in this head: the status.
    struct Refusal: Error {
        let status: Int
    }

    /// The content that follows, if the head is one that nobody can read in two ways (RFC 9112, 6.3) and is within limits.
    func content(maximumHead: Int, maximumBody: Int) throws(Refusal) -> Content {
        if size > maximumHead { throw Refusal(status: 431) }
        let lengths = headers.values("Content-Length")
        let codings = headers.values("Transfer-Encoding")
        let hosts = headers.values("Host")
        let isOld = version == "HTTP/1.0"
        guard isTrustworthy, lengths.count <= 1,
            lengths.allSatisfy({ HTTPSyntax.isNumber($0.utf8) }),
            hosts.count == 1 || hosts.isEmpty && isOld
        else { throw Refusal(status: 400) }
        if let expectation = headers.values("Expect").first,
            !HTTPHeaders.areEqual(expectation, "100-continue")
        {
            throw Refusal(status: 417)
        }
        if let coding = codings.first {
            guard codings.count == 1, lengths.isEmpty, !isOld,
                HTTPHeaders.areEqual(coding, "chunked")
            else { throw Refusal(status: 400) }
            return .chunked
        }
        guard let length = lengths.first else { return .none }
        // A number that is too long to be read is too large in any case.
        guard let size = Int(length), size <= maximumBody else { throw Refusal(status: 413) }
        return size == 0 ? .none : .sized(size)
    }
}
