internal import CMicroHTTPD
internal import Platform

/// The library's threads, which serve the connections that they are given, all with the same certificate.
@safe final class Daemon: @unchecked Sendable {
    /// TLS 1.2 and 1.3 with forward secrecy and authenticated encryption.
    private static let priorities =
        "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA"
        + ":-CIPHER-ALL:+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM:-MAC-ALL:+AEAD"
        + ":-SIGN-RSA-SHA1:-SIGN-ECDSA-SHA1:-SIGN-DSA-SHA1:%SERVER_PRECEDENCE"

    /// Its number.
    let number: Int
    private let handle: OpaquePointer
    private let core: Unmanaged<ServerCore>

    /// Starts the threads.
    init(_ core: ServerCore, number: Int, identity: TLSIdentity?) throws(HTTPServerError) {
        let retained = unsafe Unmanaged.passRetained(core)
        let callbacks = unsafe cmicrohttpd_callbacks(
            answer: serveRequest, begin: beginRequest, complete: completeRequest,
            connection: noteConnection, context: retained.toOpaque())
        let threads = UInt32(clamping: max(1, core.options.threads))
        let handle: OpaquePointer?
        if let identity {
            let certificate = PEMText(identity.certificate)
            let key = PEMText(identity.key)
            unsafe handle = cmicrohttpd_start(
                threads, ServerCore.connectionMemory, callbacks, certificate.start, key.start,
                Self.priorities)
            withExtendedLifetime((certificate, key)) {}
        } else {
            unsafe handle = cmicrohttpd_start(
                threads, ServerCore.connectionMemory, callbacks, nil, nil, nil)
        }
        guard let handle = unsafe handle else {
            unsafe retained.release()
            throw identity == nil ? .outOfResources : .identityRefused
        }
        self.number = number
        unsafe self.handle = handle
        unsafe self.core = retained
    }

    /// Serves a connection, and closes its descriptor in the end, in any case; false if that was at once.
    func serve(_ connection: ClientConnection, from address: SocketAddress) -> Bool {
        unsafe address.withPointer { pointer, size in
            unsafe MHD_add_connection(handle, connection.descriptor, pointer, size) == .YES
        }
    }

    /// Ends the threads and closes the connections that are left, none of which may be suspended. Called once, after the last `serve`.
    func stop() {
        unsafe MHD_stop_daemon(handle)
        unsafe core.release()
    }
}
