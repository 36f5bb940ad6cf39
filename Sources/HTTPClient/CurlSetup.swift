internal import CCurl

/// How libcurl is to go about a request.
struct CurlSetup {
    let options: HTTPClientOptions
    let authorities: [UInt8]?

    /// Sets everything but the fields; `contentSize` is nil where something is asked for.
    func apply(
        to handle: borrowing CurlHandle, _ url: WebURL, _ contentSize: Int?
    ) throws(HTTPClientError) {
        try handle.set(CCURLOPT_URL, url.description)
        try handle.set(
            CCURLOPT_PROTOCOLS, url.scheme == .https ? CCURLPROTO_HTTPS : CCURLPROTO_HTTP)
        // HTTP/2 would add a library, and gains nothing for one request at a time.
        try handle.set(CCURLOPT_HTTP_VERSION, CCURL_HTTP_VERSION_1_1)
        try handle.set(CCURLOPT_HTTP09_ALLOWED, 0)
        try handle.set(CCURLOPT_FOLLOWLOCATION, 0)
        try handle.set(CCURLOPT_NETRC, CCURL_NETRC_IGNORED)
        try handle.set(CCURLOPT_NOSIGNAL, 1)
        // A resolver that hangs does not hold up the end.
        handle.setIfKnown(CCURLOPT_QUICK_EXIT, 1)
        let left = options.timeLeft(at: .now)
        guard left > .zero else { throw .connectingTimedOut }
        try handle.set(
            CCURLOPT_CONNECTTIMEOUT_MS, milliseconds(min(options.connectingTimeout, left)))
        try handle.set(CCURLOPT_TIMEOUT_MS, milliseconds(left))
        try setProxy(handle, url)
        try setTLS(handle)
        try setContent(handle, contentSize)
    }

    private func setProxy(
        _ handle: borrowing CurlHandle, _ url: WebURL
    ) throws(HTTPClientError) {
        // An empty name is no proxy at all, whatever the environment says.
        if url.isLoopback { try handle.set(CCURLOPT_PROXY, "") }
        try handle.set(CCURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        try handle.set(CCURLOPT_HEADEROPT, CCURLHEADER_SEPARATE)
    }

    private func setTLS(_ handle: borrowing CurlHandle) throws(HTTPClientError) {
        try handle.set(CCURLOPT_SSL_VERIFYPEER, 1)
        try handle.set(CCURLOPT_SSL_VERIFYHOST, 2)
        try handle.set(CCURLOPT_SSLVERSION, CCURL_SSLVERSION_TLSv1_2)
        handle.setIfKnown(CCURLOPT_PROXY_SSLVERSION, CCURL_SSLVERSION_TLSv1_2)
        if let authorities { try handle.set(CCURLOPT_CAINFO_BLOB, bytes: authorities) }
        if !options.pinnedKeys.isEmpty {
            try handle.set(
                CCURLOPT_PINNEDPUBLICKEY,
                options.pinnedKeys.map(\.description).joined(separator: ";"))
        }
    }

    private func setContent(
        _ handle: borrowing CurlHandle, _ contentSize: Int?
    ) throws(HTTPClientError) {
        guard let contentSize else {
            try handle.set(CCURLOPT_HTTPGET, 1)
            return
        }
        try handle.set(CCURLOPT_POST, 1)
        try handle.set(CCURLOPT_POSTFIELDSIZE_LARGE, size: contentSize)
        // On a connection that turns out to be dead libcurl would send a request again that the server may have acted upon. Content cannot be sent
        // twice, because nobody rewinds it; a request without any needs a connection of its own.
        if contentSize == 0 { try handle.set(CCURLOPT_FRESH_CONNECT, 1) }
    }

    /// At least one, because libcurl takes 0 for no limit.
    private func milliseconds(_ duration: Duration) -> Int {
        let limit = Duration.milliseconds(Int64(Int32.max))
        let (seconds, attoseconds) = min(max(duration, .milliseconds(1)), limit).components
        return Int(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
