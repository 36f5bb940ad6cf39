internal import Platform

/// Who is at the other end of a socket.
enum PeerUser {
    /// Whether it is the user of this process; not even the administrator is taken for them.
    static func isThisUser(_ descriptor: Int32) -> Bool {
        var user: uid_t = 0
        return unsafe platform_peer_user(descriptor, &user) == 0 && user == geteuid()
    }

    /// The process that listens there, where the system knows it.
    static func process(_ descriptor: Int32) -> Int32? {
        let process = platform_peer_process(descriptor)
        return process > 0 ? process : nil
    }
}
