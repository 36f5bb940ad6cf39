internal import Platform

extension PostgreSQLAddress {
    /// Whether all of libpq's hosts, separated by commas, are this machine.
    static func areLocal(_ hosts: String) -> Bool {
        hosts.split(separator: ",", omittingEmptySubsequences: false).allSatisfy {
            isLocal(String($0))
        }
    }

    /// Whether a host is a folder of a Unix socket, or a name or address of this machine.
    ///
    /// Accepts addresses in their usual form only. Other forms count as another machine, which only adds the need for a certificate.
    private static func isLocal(_ host: String) -> Bool {
        // An empty host is the socket in libpq's default folder; `@` begins an abstract socket.
        guard let first = host.utf8.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "@")
        else { return true }
        return host == "localhost" || isLoopbackAddress(host)
    }

    /// The corresponding C function is `inet_pton`.
    private static func isLoopbackAddress(_ host: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, host, &bytes) == 1 { return bytes[0] == 127 }
        if unsafe inet_pton(AF_INET6, host, &bytes) == 1 {
            return bytes == [UInt8](repeating: 0, count: 15) + [1]
        }
        return false
    }
}
