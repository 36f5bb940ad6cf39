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
}
