internal import CMicroHTTPD
internal import Platform

/// A libmicrohttpd daemon: threads that serve the added connections, with one certificate.
@safe final class Daemon: @unchecked Sendable {
    /// TLS 1.2 and 1.3 with forward secrecy and authenticated encryption.
    private static let priorities =
        "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA"
        + ":-CIPHER-ALL:+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM:-MAC-ALL:+AEAD"
        + ":-SIGN-RSA-SHA1:-SIGN-ECDSA-SHA1:-SIGN-DSA-SHA1:%SERVER_PRECEDENCE"

    /// The number of the daemon.
    let number: Int
    private let handle: OpaquePointer
    private let core: Unmanaged<ServerCore>

    /// Starts the threads.
    init(_ core: ServerCore, number: Int, identity: TLSIdentity?) throws {
        guard HTTPServerLibrary.isLoaded else { throw HTTPServerError.libraryMissing }
        let retained = unsafe Unmanaged.passRetained(core)
        let callbacks = unsafe cmicrohttpd_callbacks(
            answer: serveRequest, begin: beginRequest, complete: completeRequest,
            connection: connectionDidChange, context: retained.toOpaque())
        let threads = UInt32(clamping: max(1, core.options.threads))
        let handle: OpaquePointer?
        if let identity {
            let certificate = PEMText(identity.certificate)
            let key = PEMText(identity.key)
            unsafe handle = cmicrohttpd_start(
                threads, core.connectionMemory, callbacks, certificate.start, key.start,
                Self.priorities)
            withExtendedLifetime((certificate, key)) {}
        } else {
            unsafe handle = cmicrohttpd_start(
                threads, core.connectionMemory, callbacks, nil, nil, nil)
        }
        guard let handle = unsafe handle else {
            unsafe retained.release()
            throw identity == nil
                ? HTTPServerError.outOfResources : HTTPServerError.identityRefused
        }
        self.number = number
        unsafe self.handle = handle
        unsafe self.core = retained
    }

    /// Serves a connection, and closes its descriptor at the end; false if it was closed
    /// immediately.
    ///
    /// The corresponding C function is `MHD_add_connection`.
    func serve(_ connection: ClientConnection, from address: SocketAddress) -> Bool {
        unsafe address.withPointer { pointer, size in
            unsafe cmicrohttpd_add_connection(handle, connection.descriptor, pointer, size)
        }
    }

    /// Stops the threads and closes the remaining connections, none of which may be suspended. Call
    /// it once, after the last `serve`.
    ///
    /// The corresponding C function is `MHD_stop_daemon`.
    func stop() {
        unsafe cmicrohttpd_stop(handle)
        unsafe core.release()
    }
}

// The callbacks of libmicrohttpd, called in its threads.

/// Called when a connection starts, and before its descriptor is closed.
func connectionDidChange(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: UInt32
) {
    guard let core = unsafe server(context), let handle = unsafe handle, let slot = unsafe slot
    else { return }
    switch Int(code) {
    case CMICROHTTPD_CONNECTION_STARTED:
        guard let connection = core.connections.start(unsafe cmicrohttpd_descriptor(handle)) else {
            return
        }
        unsafe slot.pointee = unsafe Unmanaged.passRetained(connection).toOpaque()
    case CMICROHTTPD_CONNECTION_CLOSED:
        guard let pointer = unsafe slot.pointee else { return }
        unsafe slot.pointee = nil
        core.connections.remove(
            unsafe Unmanaged<ClientConnection>.fromOpaque(pointer).takeRetainedValue())
    default:
        return
    }
}

/// Called after the first line of a request. Returns the context pointer for the following
/// callbacks.
func beginRequest(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ handle: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let core = unsafe server(context), let handle = unsafe handle,
        let pointer = unsafe cmicrohttpd_connection_context(handle)
    else { return nil }
    let connection = unsafe Unmanaged<ClientConnection>.fromOpaque(pointer).takeUnretainedValue()
    let bytes = unsafe target.map { target in
        unsafe Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
    }
    return unsafe Unmanaged.passRetained(core.begin(on: connection, target: bytes ?? []))
        .toOpaque()
}

/// Called after the head of a request, for each part of its content, at its end, and after a
/// suspension.
func serveRequest(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?, _ path: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
    _ content: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<Int>?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> cmicrohttpd_result {
    guard let core = unsafe server(context), let handle = unsafe handle,
        let method = unsafe method, let version = unsafe version, let size = unsafe size,
        let pointer = unsafe slot?.pointee
    else { return CMICROHTTPD_NO }
    let exchange = unsafe Unmanaged<RequestExchange>.fromOpaque(pointer).takeUnretainedValue()
    switch exchange.phase {
    case .head:
        let head = unsafe RequestHead(
            handle, method: method, target: exchange.target, version: version,
            limit: core.connectionMemory)
        let isTaken = unsafe core.receive(head, for: exchange, on: handle)
        if exchange.isLast, exchange.body != nil {
            exchange.chunkLines = unsafe ChunkLines(
                afterHead: method, headSize: head.size, size: core.connectionMemory)
        }
        return result(isTaken)
    case .content:
        guard unsafe size.pointee > 0, let content = unsafe content else {
            return result(unsafe core.answer(exchange, on: handle))
        }
        // The buffer belongs to libmicrohttpd, which does not read it again.
        let bytes = unsafe UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(mutating: content), count: size.pointee)
        unsafe size.pointee = 0
        unsafe exchange.chunkLines?.check(around: bytes)
        return result(unsafe core.receive(bytes, for: exchange))
    case .suspended(let answer):
        guard let response = answer.response else { return CMICROHTTPD_NO }
        return result(unsafe core.send(response, for: exchange, on: handle))
    case .answered:
        return CMICROHTTPD_NO
    }
}

/// Called when a response is complete, or when the connection ended before.
func completeRequest(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: UInt32
) {
    guard let core = unsafe server(context), let handle = unsafe handle,
        let pointer = unsafe slot?.pointee
    else { return }
    unsafe slot?.pointee = nil
    let exchange = unsafe Unmanaged<RequestExchange>.fromOpaque(pointer).takeRetainedValue()
    if let status = exchange.status {
        core.end(exchange, status: Int(code) == CMICROHTTPD_REQUEST_COMPLETED ? status : nil)
    } else {
        // libmicrohttpd itself refuses a request that it cannot parse.
        let status = unsafe cmicrohttpd_status(handle)
        exchange.isLast = status != 0
        core.end(exchange, status: status == 0 ? nil : Int(status))
    }
}

private func result(_ isDone: Bool) -> cmicrohttpd_result {
    isDone ? CMICROHTTPD_YES : CMICROHTTPD_NO
}

private func server(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
    unsafe context.map { unsafe Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
}
