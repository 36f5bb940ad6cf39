internal import Platform

/// The address of one end of a socket.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private var size = socklen_t(MemoryLayout<sockaddr_storage>.size)

    /// The address of the peer; nil if the peer has gone.
    init?(peerOf descriptor: Int32) {
        let code = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe getpeername(
                descriptor,
                UnsafeMutableRawPointer(storage)
                    .assumingMemoryBound(to: sockaddr.self), &size)
        }
        guard code == 0 else { return nil }
    }

    /// The local address.
    init?(boundTo descriptor: Int32) {
        let code = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe getsockname(
                descriptor,
                UnsafeMutableRawPointer(storage)
                    .assumingMemoryBound(to: sockaddr.self), &size)
        }
        guard code == 0 else { return nil }
    }

    /// Calls `body` with a pointer for the C functions.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        unsafe withUnsafePointer(to: storage) { storage in
            unsafe body(
                UnsafeRawPointer(storage).assumingMemoryBound(to: sockaddr.self), size)
        }
    }

    /// The port; nil for another address family.
    var port: UInt16? {
        switch Int32(storage.ss_family) {
        case AF_INET:
            UInt16(bigEndian: read(sockaddr_in.self).sin_port)
        case AF_INET6:
            UInt16(bigEndian: read(sockaddr_in6.self).sin6_port)
        default: nil
        }
    }

    /// The 4 or 16 bytes of the address; empty for another address family.
    var bytes: [UInt8] {
        switch Int32(storage.ss_family) {
        case AF_INET:
            unsafe withUnsafeBytes(of: read(sockaddr_in.self).sin_addr) { unsafe Array($0) }
        case AF_INET6:
            unsafe withUnsafeBytes(of: read(sockaddr_in6.self).sin6_addr) { unsafe Array($0) }
        default: []
        }
    }

    private func read<Address>(_ type: Address.Type) -> Address {
        unsafe withUnsafeBytes(of: storage) { unsafe $0.load(as: Address.self) }
    }
}
