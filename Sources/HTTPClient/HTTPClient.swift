internal import CCurl
internal import Platform
internal import SecretMemory
internal import Synchronization

/// Asks servers by HTTP/1.1, one request at a time, over connections that are used again.
///
/// A server has to show a certificate for its name that the system's or the given authorities signed, and speak TLS 1.2 or newer; plain HTTP goes to
/// this machine only. Redirections are errors. The environment is believed as to a proxy for other machines, and in nothing else that
/// libcurl would take from it.
///
/// Content and authorization are in guarded memory until libcurl gets them, and content that comes goes there. In between they pass through buffers of
/// libcurl, which are overwritten when they are freed, and through the records of its TLS: what OpenSSL decrypted is overwritten as soon as it was read, but
/// what it is about to encrypt, the socket buffers of the system, and the stacks and registers of these libraries cannot be reached from here.
///
/// Thread-safe: a second thread waits until the first one has its answer.
public final class HTTPClient: Sendable {
    /// The name of the package to install where there is no libcurl, on Debian.
    public static let libraryPackage = "libcurl4"

    private let connections: Mutex<CurlConnections>
    private let library: CurlLibrary
    private let options: HTTPClientOptions
    /// The system's authorities and the additional ones; nil where there are only the system's.
    private let authorities: [UInt8]?

    /// Makes a client. Nothing is connected yet.
    public convenience init(
        _ options: HTTPClientOptions = HTTPClientOptions()
    ) throws(HTTPClientError) {
        try self.init(options, CurlLibrary.shared)
    }

    init(_ options: HTTPClientOptions, _ library: CurlLibrary?) throws(HTTPClientError) {
        let additional: PEMCertificates?
        if let given = options.authorities {
            additional = try PEMCertificates(given)
        } else {
            additional = nil
        }
        guard let library else { throw .libraryMissing }
        guard let connections = CurlConnections(library), let handle = CurlHandle(library) else {
            throw .outOfMemory
        }
        authorities = additional.map { $0.joined(withFile: handle.text(CCURLINFO_CAINFO)) }
        self.connections = Mutex(connections)
        self.library = library
        self.options = options
    }

    /// Asks, and waits for the answer.
    ///
    /// - Throws: ``HTTPClientError``; ``HTTPClientError/mayHaveArrived`` tells whether the server may have acted nevertheless.
    public func send(
        _ request: borrowing ClientRequest
    ) throws(HTTPClientError) -> ClientResponse {
        try RequestCheck.check(request)
        let lists = CurlLists(
            fields: try fields(of: request), resolutions: try CurlList(library, options.resolutions)
        )
        let exchange = try Exchange(options, onlyLoopback: request.url.isLoopback)
        let url = request.url
        switch request.content {
        case .none: return try perform(exchange, url, nil, lists)
        case .some(let content):
            return try content.withBytes { (bytes) throws(HTTPClientError) in
                try unsafe bytes.withUnsafeBytes { (buffer) throws(HTTPClientError) in
                    try unsafe exchange.sending(buffer) { () throws(HTTPClientError) in
                        try perform(exchange, url, buffer.count, lists)
                    }
                }
            }
        }
    }

    private func fields(
        of request: borrowing ClientRequest
    ) throws(HTTPClientError) -> CurlList {
        var list = try CurlList(library, request.fields.map { "\($0.name): \($0.value)" })
        if request.method == .post {
            try list.append("Content-Type: \(request.contentType)")
            // Without this libcurl would ask first whether large content is wanted.
            try list.append("Expect:")
        }
        switch request.authorization {
        case .some(let value): try list.append("Authorization: ", value)
        case .none: break
        }
        return list
    }

    private func perform(
        _ exchange: Exchange, _ url: WebURL, _ contentSize: Int?, _ lists: borrowing CurlLists
    ) throws(HTTPClientError) -> ClientResponse {
        let setup = CurlSetup(options: options, authorities: authorities)
        return try connections.withLock { (connections) throws(HTTPClientError) in
            guard let handle = CurlHandle(library) else { throw .outOfMemory }
            try setup.apply(to: handle, url, contentSize)
            try handle.set(CCURLOPT_HTTPHEADER, lists.fields)
            try handle.set(CCURLOPT_RESOLVE, lists.resolutions)
            try handle.set(exchange)
            let failures = ccurl_failed_allocations()
            let code = handle.perform(over: connections)
            // Ciphers leave there what they worked on.
            platform_wipe_vector_registers()
            if let error = CurlFailure(
                exchange, ranOutOfMemory: failures != ccurl_failed_allocations()
            ).error(code, handle, url) {
                throw error
            }
            return ClientResponse(
                status: exchange.head.status, contentType: exchange.head.contentType,
                retryAfter: exchange.head.retryAfter, content: try exchange.takeContent())
        }
    }
}
