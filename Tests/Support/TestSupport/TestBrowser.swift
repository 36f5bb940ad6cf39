internal import Foundation
package import Platform

/// A browser without a page: it sends one request, and reads the answer to its end.
package enum TestBrowser {
    /// An answer.
    package struct Page: Sendable {
        package let status: Int
        /// The head in lower case.
        package let head: String
        package let body: String

        /// The value of a field in its own spelling; nil without it.
        package func field(_ name: String) -> String? {
            lines.first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }

        fileprivate let lines: [String]
    }

    /// Requests an address of this machine; nil if it is refused or closed without an answer.
    package static func get(_ address: String, host: String? = nil, method: String = "GET") -> Page?
    {
        guard let url = URLComponents(string: address), let port = url.port else { return nil }
        let isIPv6 = url.host?.contains(":") == true
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, platform_stream_socket(), 0)
        defer { close(descriptor) }
        guard isIPv6 ? connectIPv6(descriptor, port) : connectIPv4(descriptor, port) else {
            return nil
        }
        let target = address.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        let path = target[2].drop { $0 != "/" }
        let authority = target[2].prefix { $0 != "/" }
        let request = Array(
            "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? String(authority))\r\nConnection: close\r\n\r\n"
                .utf8)
        guard unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
        else { return nil }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return Page(
            status: status, head: lines.joined(separator: "\n").lowercased(),
            body: String(text[end.upperBound...]), lines: lines)
    }

    /// Requests an address on another thread. The result is there when the monitor has it.
    package static func begin(_ address: String) -> Monitor<Page??> {
        let result = Monitor<Page??>(nil)
        _ = DetachedThread.start {
            let page = get(address)
            result.update { $0 = .some(page) }
        }
        return result
    }

    private static func connectIPv4(_ descriptor: Int32, _ port: Int) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func connectIPv6(_ descriptor: Int32, _ port: Int) -> Bool {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = UInt16(port).bigEndian
        address.sin6_addr = in6addr_loopback
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
    }
}
