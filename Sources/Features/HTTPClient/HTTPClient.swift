internal import CCurl
internal import Platform
internal import SecretMemory
internal import Synchronization

/// An HTTP/1.1 client: one request at a time, over reused connections.
///
/// A server needs TLS 1.2 or newer and a certificate for its name, from an authority of the system
/// or of the options. Plain HTTP works only with this machine. Redirections are errors. The
/// environment may set a proxy for other machines, and nothing else.
///
/// Content and authorization stay in guarded memory up to libcurl, and received content goes into
/// guarded memory. libcurl's buffers are wiped on release. OpenSSL's decrypted data is wiped after
/// it was read.
///
/// This class cannot wipe data before its encryption, socket buffers of the system, or stacks and
/// registers of the libraries.
///
/// Thread-safe: a second thread waits for the response of the first.
public final class HTTPClient: Sendable {
    /// The Debian package of libcurl.
    public static let libraryPackage = "libcurl4"

    private let connections: Mutex<CurlConnections>
    private let library: CurlLibrary
    private let options: HTTPClientOptions
    /// The authorities of the system and the additional ones; nil for the system's alone.
    private let authorities: [UInt8]?

    /// Makes a client without connecting.
    public convenience init(
        _ options: HTTPClientOptions = HTTPClientOptions()
    ) throws {
        try self.init(options, CurlLibrary.shared)
    }

    init(_ options: HTTPClientOptions, _ library: CurlLibrary?) throws {
        let additional: PEMCertificates?
        if let given = options.authorities {
            additional = try PEMCertificates(given)
        } else {
            additional = nil
        }
        guard let library else { throw HTTPClientError.libraryMissing }
        guard let connections = CurlConnections(library), let handle = CurlHandle(library) else {
            throw SecretMemoryError.outOfMemory
        }
        authorities = additional.map { $0.joined(withFile: handle.text(CCURLINFO_CAINFO)) }
        self.connections = Mutex(connections)
        self.library = library
        self.options = options
    }

    /// Sends a request and waits for the response.
    ///
    /// - Throws: ``HTTPClientError``, whose ``HTTPClientError/mayHaveArrived`` is true if the
    ///   request may have arrived; `SecretMemoryError`, after which the request may have arrived as
    ///   well.
    public func send(_ request: borrowing ClientRequest) throws -> ClientResponse {
        try Self.check(request)
        let lists = CurlLists(
            fields: try fields(of: request), resolutions: try CurlList(library, options.resolutions)
        )
        let transfer = try CurlTransfer(options, onlyLoopback: request.url.isLoopback)
        let url = request.url
        func post(_ bytes: RawSpan) throws -> ClientResponse {
            try unsafe bytes.withUnsafeBytes { (buffer) throws in
                try unsafe transfer.sending(buffer) {
                    try perform(transfer, url, buffer.count, lists)
                }
            }
        }
        if let sealed = request.sealed { return try post(unsafe sealed.span.bytes) }
        switch request.content {
        case .none: return try perform(transfer, url, nil, lists)
        case .some(let content):
            return try content.withBytes { (bytes) throws in try post(bytes) }
        }
    }

    /// Requests a resource by `https`, and follows redirections to `https`, up to ``HTTPClientOptions/redirections``.
    ///
    /// - Parameter url: The URL.
    /// - Returns: The response of the last URL.
    /// - Throws: As ``send(_:)``; `plainHTTP` for another scheme.
    package func get(_ url: WebURL) throws -> ClientResponse {
        guard url.scheme == .https else { throw HTTPClientError.plainHTTP }
        var url = url
        var left = options.redirections
        while true {
            let lists = CurlLists(
                fields: try CurlList(library, Self.ownFields),
                resolutions: try CurlList(library, options.resolutions))
            let transfer = try CurlTransfer(options, onlyLoopback: url.isLoopback)
            do {
                return try perform(transfer, url, nil, lists)
            } catch let error as HTTPClientError {
                guard case .redirected = error, left > 0,
                    let next = transfer.head.redirection(from: url), next.scheme == .https
                else { throw error }
                left -= 1
                url = next
            }
        }
    }

    /// Rejects an invalid request before a connection is opened.
    private static func check(_ request: borrowing ClientRequest) throws {
        guard request.url.scheme == .https || request.url.isLoopback else {
            throw HTTPClientError.plainHTTP
        }
        guard request.fields.allSatisfy(FieldSyntax.isAllowed),
            request.method == .get || FieldSyntax.isValue(request.contentType)
        else { throw HTTPClientError.requestMalformed }
        switch request.authorization {
        case .some(let value):
            guard value.withBytes({ FieldSyntax.isValue($0) }) else {
                throw HTTPClientError.requestMalformed
            }
        case .none: break
        }
    }

    /// Some servers refuse a request without `User-Agent`, or compress unasked. The version is
    /// omitted, because it would reveal known vulnerabilities.
    private static let ownFields = ["User-Agent: taskvault", "Accept-Encoding: identity"]

    private func fields(of request: borrowing ClientRequest) throws -> CurlList {
        var list = try CurlList(
            library, Self.ownFields + request.fields.map { "\($0.name): \($0.value)" })
        if request.method == .post {
            try list.append("Content-Type: \(request.contentType)")
            // Without this, libcurl waits for `100 Continue` before large content.
            try list.append("Expect:")
        }
        switch request.authorization {
        case .some(let value): try list.append("Authorization: ", value)
        case .none: break
        }
        return list
    }

    private func perform(
        _ transfer: CurlTransfer, _ url: WebURL, _ contentSize: Int?, _ lists: borrowing CurlLists
    ) throws -> ClientResponse {
        try connections.withLock { (connections) throws in
            guard let handle = CurlHandle(library) else { throw SecretMemoryError.outOfMemory }
            try handle.configure(url, contentSize, options, authorities)
            try handle.set(CCURLOPT_HTTPHEADER, lists.fields)
            try handle.set(CCURLOPT_RESOLVE, lists.resolutions)
            try handle.set(transfer)
            let failures = ccurl_failed_allocations()
            let code = handle.perform(over: connections, until: options.stopDescriptor)
            // The ciphers leave data in vector registers.
            platform_wipe_vector_registers()
            let ranOutOfMemory = failures != ccurl_failed_allocations()
            if let error = transfer.error(code, handle, url, ranOutOfMemory: ranOutOfMemory) {
                throw error
            }
            return ClientResponse(
                status: transfer.head.status, contentType: transfer.head.contentType,
                retryAfter: transfer.head.retryAfter, etag: transfer.head.etag,
                forbidsStoring: transfer.head.forbidsStoring, date: transfer.head.date,
                content: try transfer.takeContent())
        }
    }
}
