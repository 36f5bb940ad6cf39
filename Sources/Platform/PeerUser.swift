/// The user and the process at the other end of a socket.
package enum PeerUser {
    /// Whether the peer is the user of this process; the administrator is another user.
    package static func isThisUser(_ descriptor: Int32) -> Bool {
        var user: uid_t = 0
        return unsafe platform_peer_user(descriptor, &user) == 0 && user == geteuid()
    }

    /// The listening process, if the system reports it.
    package static func process(_ descriptor: Int32) -> Int32? {
        let process = platform_peer_process(descriptor)
        return process > 0 ? process : nil
    }

    /// The name of a process, which it can choose; nil where the system shows none. Reads `/proc/PID/comm`.
    package static func program(_ process: Int32) -> String? {
        let descriptor = unsafe platform_open("/proc/\(process)/comm", O_RDONLY, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var name = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(descriptor, &name, name.count)
        guard count > 0 else { return nil }
        return String(decoding: name.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self)
    }
}
