internal import CCurl

/// What libcurl knows of one exchange. Its buffers are wiped at the end.
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

    /// Goes through the exchange and returns libcurl's code.
    func perform(over connections: borrowing CurlConnections) -> UInt32 {
        unsafe ccurl_perform(library.functions, connections.pointer, handle)
    }

    func set(_ option: Int, _ value: Int) throws(HTTPClientError) {
        try check(unsafe ccurl_set_number(library.functions, handle, UInt32(option), value))
    }

    /// Sets what older libraries do not know.
    func setIfKnown(_ option: Int, _ value: Int) {
        _ = unsafe ccurl_set_number(library.functions, handle, UInt32(option), value)
    }

    func set(_ option: Int, size: Int) throws(HTTPClientError) {
        try check(unsafe ccurl_set_size(library.functions, handle, UInt32(option), Int64(size)))
    }

    func set(_ option: Int, _ value: String) throws(HTTPClientError) {
        try check(unsafe ccurl_set_text(library.functions, handle, UInt32(option), value))
    }

    func set(_ option: Int, bytes: [UInt8]) throws(HTTPClientError) {
        try check(
            unsafe bytes.withUnsafeBytes { buffer in
                guard let start = buffer.baseAddress else { return UInt32(CCURLE_OK) }
                return unsafe ccurl_set_bytes(
                    library.functions, handle, UInt32(option), start, buffer.count)
            })
    }

    func set(_ option: Int, _ list: borrowing CurlList) throws(HTTPClientError) {
        try check(unsafe ccurl_set_list(library.functions, handle, UInt32(option), list.first))
    }

    /// Lets libcurl call functions with an exchange, which has to stay until it is over.
    func set(_ exchange: Exchange) throws(HTTPClientError) {
        unsafe try set(
            CCURLOPT_HEADERFUNCTION, Exchange.headCallback, CCURLOPT_HEADERDATA, exchange)
        unsafe try set(
            CCURLOPT_WRITEFUNCTION, Exchange.contentCallback, CCURLOPT_WRITEDATA, exchange)
        unsafe try set(
            CCURLOPT_READFUNCTION, Exchange.sendingCallback, CCURLOPT_READDATA, exchange)
        try check(unsafe ccurl_set_reach(library.functions, handle, exchange.reach))
        try check(unsafe ccurl_set_cleansing(library.functions, handle))
    }

    private func set(
        _ option: Int, _ callback: ccurl_data_callback, _ contextOption: Int, _ exchange: Exchange
    ) throws(HTTPClientError) {
        try check(
            unsafe ccurl_set_callback(
                library.functions, handle, UInt32(option), callback, UInt32(contextOption),
                exchange.context))
    }

    /// Whether numbers of problems are OpenSSL's.
    var hasOpenSSL: Bool { unsafe ccurl_has_openssl(library.functions) }

    func number(_ info: Int) -> Int { unsafe ccurl_number(library.functions, handle, UInt32(info)) }

    func size(_ info: Int) -> Int64 { unsafe ccurl_size(library.functions, handle, UInt32(info)) }

    func text(_ info: Int) -> String? {
        unsafe ccurl_text(library.functions, handle, UInt32(info)).map {
            unsafe String(cString: $0)
        }
    }

    private func check(_ code: UInt32) throws(HTTPClientError) {
        if code == UInt32(CCURLE_OUT_OF_MEMORY) { throw .outOfMemory }
        guard code == UInt32(CCURLE_OK) else { throw .libraryFailed(code: code) }
    }
}
