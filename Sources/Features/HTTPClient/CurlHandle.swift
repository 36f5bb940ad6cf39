internal import CCurl
internal import Platform
internal import SecretMemory

/// One transfer in libcurl. Its buffers are wiped at the end.
@safe struct CurlHandle: ~Copyable {
    private let library: CurlLibrary
    private let handle: UnsafeMutableRawPointer

    init?(_ library: CurlLibrary) {
        guard let handle = unsafe ccurl_new(library.functions) else { return nil }
        self.library = library
        unsafe self.handle = unsafe handle
    }

    deinit {
        unsafe ccurl_free(library.functions, handle)
    }

    /// Performs the transfer and returns libcurl's code. The transfer ends early when `stop`
    /// becomes readable.
    func perform(over connections: borrowing CurlConnections, until stop: Int32) -> UInt32 {
        unsafe ccurl_perform(library.functions, connections.pointer, handle, stop)
    }

    func set(_ option: Int, _ value: Int) throws {
        try check(unsafe ccurl_set_number(library.functions, handle, UInt32(option), value))
    }

    /// Sets an option that older libraries do not support.
    func setIfKnown(_ option: Int, _ value: Int) {
        _ = unsafe ccurl_set_number(library.functions, handle, UInt32(option), value)
    }

    func set(_ option: Int, size: Int) throws {
        try check(unsafe ccurl_set_size(library.functions, handle, UInt32(option), Int64(size)))
    }

    func set(_ option: Int, _ value: String) throws {
        try check(unsafe ccurl_set_text(library.functions, handle, UInt32(option), value))
    }

    func set(_ option: Int, bytes: [UInt8]) throws {
        try check(
            unsafe bytes.withUnsafeBytes { buffer in
                guard let start = buffer.baseAddress else { return UInt32(CCURLE_OK) }
                return unsafe ccurl_set_bytes(
                    library.functions, handle, UInt32(option), start, buffer.count)
            })
    }

    func set(_ option: Int, _ list: borrowing CurlList) throws {
        try check(unsafe ccurl_set_list(library.functions, handle, UInt32(option), list.first))
    }

    /// Sets the callbacks. `transfer` must outlive the call of `perform`.
    func set(_ transfer: CurlTransfer) throws {
        unsafe try set(
            CCURLOPT_HEADERFUNCTION, CurlTransfer.headCallback, CCURLOPT_HEADERDATA, transfer)
        unsafe try set(
            CCURLOPT_WRITEFUNCTION, CurlTransfer.contentCallback, CCURLOPT_WRITEDATA, transfer)
        unsafe try set(
            CCURLOPT_READFUNCTION, CurlTransfer.sendingCallback, CCURLOPT_READDATA, transfer)
        try check(unsafe ccurl_set_reach(library.functions, handle, transfer.reach))
        try check(unsafe ccurl_set_cleansing(library.functions, handle))
    }

    private func set(
        _ option: Int, _ callback: ccurl_data_callback, _ contextOption: Int,
        _ transfer: CurlTransfer
    ) throws {
        try check(
            unsafe ccurl_set_callback(
                library.functions, handle, UInt32(option), callback, UInt32(contextOption),
                transfer.context))
    }

    /// Whether libcurl uses OpenSSL, so that certificate errors have its codes.
    var hasOpenSSL: Bool { unsafe ccurl_has_openssl(library.functions) }

    func number(_ info: Int) -> Int { unsafe ccurl_number(library.functions, handle, UInt32(info)) }

    func size(_ info: Int) -> Int64 { unsafe ccurl_size(library.functions, handle, UInt32(info)) }

    func text(_ info: Int) -> String? {
        unsafe ccurl_text(library.functions, handle, UInt32(info)).map {
            unsafe String(cString: $0)
        }
    }

    private func check(_ code: UInt32) throws {
        if code == UInt32(CCURLE_OUT_OF_MEMORY) { throw SecretMemoryError.outOfMemory }
        guard code == UInt32(CCURLE_OK) else { throw HTTPClientError.libraryFailed(code: code) }
    }
}

extension CurlHandle {
    /// Sets all options except the header fields and the callbacks.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - contentSize: The size of the content in bytes; nil for a request without content.
    ///   - options: The limits and the pinned keys.
    ///   - authorities: All trusted authorities as PEM; nil for the system's.
    /// - Throws: `connectingTimedOut` after the deadline, `libraryFailed`, or `SecretMemoryError`.
    func configure(
        _ url: WebURL, _ contentSize: Int?, _ options: HTTPClientOptions, _ authorities: [UInt8]?
    ) throws {
        try set(CCURLOPT_URL, url.description)
        try set(
            CCURLOPT_PROTOCOLS, url.scheme == .https ? CCURLPROTO_HTTPS : CCURLPROTO_HTTP)
        // HTTP/2 needs another library, and has no advantage for one request at a time.
        try set(CCURLOPT_HTTP_VERSION, CCURL_HTTP_VERSION_1_1)
        try set(CCURLOPT_HTTP09_ALLOWED, 0)
        try set(CCURLOPT_FOLLOWLOCATION, 0)
        try set(CCURLOPT_NETRC, CCURL_NETRC_IGNORED)
        try set(CCURLOPT_NOSIGNAL, 1)
        // Do not wait for the resolver thread at the end.
        setIfKnown(CCURLOPT_QUICK_EXIT, 1)
        let left = options.timeLeft(at: .now)
        guard left > .zero else { throw HTTPClientError.connectingTimedOut }
        try set(
            CCURLOPT_CONNECTTIMEOUT_MS, milliseconds(min(options.connectingTimeout, left)))
        try set(CCURLOPT_TIMEOUT_MS, milliseconds(left))
        // An empty proxy name also overrides a proxy of the environment.
        if url.isLoopback || options.onlyPublicAddresses { try set(CCURLOPT_PROXY, "") }
        try set(CCURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        try set(CCURLOPT_HEADEROPT, CCURLHEADER_SEPARATE)
        try setTLS(options.pinnedKeys, authorities)
        try setContent(contentSize)
    }

    private func setTLS(_ pinnedKeys: [PinnedKey], _ authorities: [UInt8]?) throws {
        try set(CCURLOPT_SSL_VERIFYPEER, 1)
        try set(CCURLOPT_SSL_VERIFYHOST, 2)
        try set(CCURLOPT_SSLVERSION, CCURL_SSLVERSION_TLSv1_2)
        setIfKnown(CCURLOPT_PROXY_SSLVERSION, CCURL_SSLVERSION_TLSv1_2)
        if let authorities { try set(CCURLOPT_CAINFO_BLOB, bytes: authorities) }
        if !pinnedKeys.isEmpty {
            try set(
                CCURLOPT_PINNEDPUBLICKEY, pinnedKeys.map(\.description).joined(separator: ";"))
        }
    }

    private func setContent(_ contentSize: Int?) throws {
        guard let contentSize else {
            try set(CCURLOPT_HTTPGET, 1)
            return
        }
        try set(CCURLOPT_POST, 1)
        try set(CCURLOPT_POSTFIELDSIZE_LARGE, size: contentSize)
        // After a dead connection libcurl would repeat a request that the server may have executed.
        // Content cannot be rewound, so libcurl cannot send it twice. A request with empty content
        // needs a new connection instead.
        if contentSize == 0 { try set(CCURLOPT_FRESH_CONNECT, 1) }
    }

    /// The duration in milliseconds, at least 1, because 0 means no limit.
    private func milliseconds(_ duration: Duration) -> Int {
        let limit = Duration.milliseconds(Int64(Int32.max))
        let (seconds, attoseconds) = min(max(duration, .milliseconds(1)), limit).components
        return Int(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
