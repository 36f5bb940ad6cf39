internal import CMicroHTTPD
internal import Platform

// The functions that the library calls in its own threads.

/// A connection begins, or its descriptor is about to be closed.
func noteConnection(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?,
    _ noted: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_ConnectionNotificationCode
) {
    guard let core = unsafe server(context), let handle = unsafe handle, let noted = unsafe noted
    else { return }
    switch code {
    case .CONNECTION_NOTIFY_STARTED:
        guard let connection = core.connections.start(unsafe cmicrohttpd_descriptor(handle)) else {
            return
        }
        unsafe noted.pointee = unsafe Unmanaged.passRetained(connection).toOpaque()
    case .CONNECTION_NOTIFY_CLOSED:
        guard let pointer = unsafe noted.pointee else { return }
        unsafe noted.pointee = nil
        core.connections.remove(
            unsafe Unmanaged<ClientConnection>.fromOpaque(pointer).takeRetainedValue())
    @unknown default:
        return
    }
}

/// The first line of a request was read. What is returned is handed to the functions below.
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

/// The head of a request, a piece of its content, or its end was read, or a worker is done with it.
func serveRequest(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?, _ path: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
    _ content: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<Int>?,
    _ noted: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let core = unsafe server(context), let handle = unsafe handle,
        let method = unsafe method, let version = unsafe version, let size = unsafe size,
        let pointer = unsafe noted?.pointee
    else { return .NO }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    switch exchange.phase {
    case .head:
        let head = unsafe RequestHead(
            handle, method: method, target: exchange.target, version: version,
            limit: ServerCore.connectionMemory)
        return unsafe core.take(head, for: exchange, on: handle) ? .YES : .NO
    case .content:
        guard unsafe size.pointee > 0, let content = unsafe content else {
            return unsafe core.answer(exchange, on: handle) ? .YES : .NO
        }
        // The library's own buffer, which it does not look at again.
        let bytes = unsafe UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(mutating: content), count: size.pointee)
        unsafe size.pointee = 0
        return unsafe core.take(bytes, for: exchange) ? .YES : .NO
    case .suspended(let answer):
        guard let response = answer.response else { return .NO }
        return unsafe core.send(response, for: exchange, on: handle) ? .YES : .NO
    case .answered:
        return .NO
    }
}

/// An answer is complete, or the connection ends before.
func completeRequest(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?,
    _ noted: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_RequestTerminationCode
) {
    guard let core = unsafe server(context), let handle = unsafe handle,
        let pointer = unsafe noted?.pointee
    else { return }
    unsafe noted?.pointee = nil
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
    if let status = exchange.status {
        core.end(exchange, status: code == .REQUEST_TERMINATED_COMPLETED_OK ? status : nil)
    } else {
        // The library refuses by itself what it cannot read at all.
        let status = unsafe cmicrohttpd_status(handle)
        exchange.isRefused = status != 0
        core.end(exchange, status: status == 0 ? nil : Int(status))
    }
}

private func server(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
    unsafe context.map { unsafe Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
}
