@testable import HTTPServer
import Testing
import TestSupport

@Suite("Trusted proxies")
struct TrustedProxyTests {
    @Test(
        "A network contains the addresses with its prefix",
        arguments: [
            ("192.0.2.7", ["192.0.2.7"], ["192.0.2.6", "::1", "", "::c000:207"]),
            ("192.0.2.0/24", ["192.0.2.0", "192.0.2.255"], ["192.0.3.0", "192.0.1.255"]),
            ("192.0.2.8/29", ["192.0.2.8", "192.0.2.15"], ["192.0.2.7", "192.0.2.16"]),
            ("128.0.0.0/1", ["128.0.0.0", "255.1.2.3"], ["127.255.255.255"]),
            ("2001:db8::/32", ["2001:db8::1", "2001:db8:ffff::"], ["2001:db9::", "32.1.13.184"]),
            ("::1", ["::1"], ["::2", "127.0.0.1"]),
        ] as [(String, [String], [String])])
    func networks(_ text: String, _ members: [String], _ others: [String]) throws {
        let network = try #require(AddressNetwork(text))
        for text in members { #expect(network.contains(address(text)), "\(text)") }
        for text in others { #expect(!network.contains(address(text)), "\(text)") }
    }

    @Test(
        "Other texts are refused",
        arguments: [
            "", "/8", "localhost", "127.1", "127.0.0.1/", "127.0.0.1/33", "127.0.0.1/0",
            "0.0.0.0/0", "::/0", "10.0.0.1/8", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/8/8",
            "::1/129", "2001:db8::1/32", "[::1]", "127.0.0.1:80", "::ffff:127.0.0.1", "fe80::1%lo",
            " 127.0.0.1", "127.0.0.1\u{0}",
        ])
    func noNetworks(_ text: String) {
        #expect(AddressNetwork(text) == nil)
    }

    @Test(
        "The client is the last entry of X-Forwarded-For that is no trusted proxy",
        arguments: [
            ("127.0.0.1", ["192.0.2.1"], "192.0.2.1"),
            ("127.0.0.1", [" \t192.0.2.1\t "], "192.0.2.1"),
            ("127.0.0.1", ["198.51.100.1, 192.0.2.1"], "192.0.2.1"),
            ("127.0.0.1", ["198.51.100.1", "192.0.2.1"], "192.0.2.1"),
            ("127.0.0.1", ["192.0.2.1, 10.1.2.3,127.0.0.1"], "192.0.2.1"),
            ("127.0.0.1", ["192.0.2.1", "10.1.2.3"], "192.0.2.1"),
            ("127.0.0.1", ["2001:db8::7"], "2001:db8::7"),
            ("127.0.0.1", ["::ffff:192.0.2.1"], "192.0.2.1"),
            // Earlier entries can be forged, and are ignored.
            ("127.0.0.1", ["nonsense, , \", 192.0.2.1"], "192.0.2.1"),
            // Missing or malformed.
            ("127.0.0.1", [], "127.0.0.1"),
            ("127.0.0.1", [""], "127.0.0.1"),
            ("127.0.0.1", ["10.1.2.3, 127.0.0.1"], "127.0.0.1"),
            ("127.0.0.1", ["192.0.2.1,"], "127.0.0.1"),
            ("127.0.0.1", ["192.0.2.1", ""], "127.0.0.1"),
            ("127.0.0.1", ["192.0.2.1, unknown"], "127.0.0.1"),
            ("127.0.0.1", ["192.0.2.1, unknown, 10.1.2.3"], "127.0.0.1"),
            ("127.0.0.1", ["192.0.2.1:8420"], "127.0.0.1"),
            ("127.0.0.1", ["192.0.2.1 10.1.2.3"], "127.0.0.1"),
            ("127.0.0.1", ["[2001:db8::7]"], "127.0.0.1"),
            ("127.0.0.1", ["192.0.2.1\u{0}"], "127.0.0.1"),
            // An untrusted peer.
            ("127.0.0.2", ["192.0.2.1"], "127.0.0.2"),
            ("192.0.2.1", ["127.0.0.1"], "192.0.2.1"),
        ] as [(String, [String], String)])
    func client(_ peer: String, _ values: [String], _ client: String) throws {
        let proxies = TrustedProxies(
            [AddressNetwork("127.0.0.1"), AddressNetwork("10.0.0.0/8")].compactMap { $0 })
        let headers = HTTPHeaders(values.map { HTTPHeaders.Field("x-forwarded-for", $0) })
        let found = proxies.client(of: address(peer), headers)
        #expect(found == (peer == client ? found : .named(address(client))))
        if case .named(let address) = found { #expect(address.text == client) }
        #expect(TrustedProxies([]).client(of: address(peer), headers) == .peer)
    }

    @Test(
        "A proxy whose X-Forwarded-For has ports is noticed",
        arguments: [
            ("192.0.2.1:8420", true), ("[2001:db8::7]:443", true), ("unknown", true), ("", true),
            ("10.1.2.3", false), ("192.0.2.1", false),
        ])
    func unreadable(_ value: String, _ isUnreadable: Bool) throws {
        let handler = TestHandler()
        let server = try HTTPServer(
            HTTPServerOptions(
                trustedProxies: [AddressNetwork("127.0.0.1"), AddressNetwork("10.0.0.0/8")]
                    .compactMap { $0 }), handler)
        defer { server.stop(within: .zero) }
        let proxy = try TestClient(port: server.port)
        proxy.send(
            "POST / HTTP/1.1\r\nHost: t\r\nX-Forwarded-For: \(value)\r\nContent-Length: 1\r\n\r\nx"
        )
        #expect(proxy.response()?.status == 200)
        #expect(handler.requests.map(\.isForwardingUnreadable) == [isUnreadable])
        // Anyone can send the field; only a proxy is asked.
        let other = try TestClient(port: server.port, from: "127.0.0.2")
        #expect(other.get("/", "X-Forwarded-For: \(value)")?.status == 200)
        #expect(handler.requests.last?.isForwardingUnreadable == false)
    }

    @Test(
        "A proxy is trusted on each request, others are not, and an IPv6 client counts as its /64")
    func connection() throws {
        let handler = TestHandler { request in
            .now(.text("\(request.client.network) \(request.peer.text)"))
        }
        let proxies = try [#require(AddressNetwork("127.0.0.1"))]
        let server = try HTTPServer(
            HTTPServerOptions(maximumConnectionsOfOneAddress: 1, trustedProxies: proxies), handler)
        defer { server.stop(within: .zero) }
        let proxy = try TestClient(port: server.port)
        for (value, client) in [
            ("192.0.2.1", "192.0.2.1"), ("2001:db8::1:2", "2001:db8::/64"), ("", "127.0.0.1"),
        ] {
            #expect(
                proxy.get("/", "X-Forwarded-For: \(value)")?.content == "\(client) 127.0.0.1")
        }
        proxy.send(
            "POST / HTTP/1.1\r\nHost: t\r\nX-Forwarded-For: 192.0.2.3\r\nContent-Length: 1\r\n\r\nx"
        )
        #expect(proxy.response()?.content == "192.0.2.3 127.0.0.1")
        // A proxy has connections for many, a client for itself.
        #expect(
            try TestClient(port: server.port).get("/", "X-Forwarded-For: 192.0.2.2")?.content
                == "192.0.2.2 127.0.0.1")
        let other = try TestClient(port: server.port, from: "127.0.0.2")
        #expect(
            other.get("/", "X-Forwarded-For: 192.0.2.1")?.content == "127.0.0.2 127.0.0.2")
        try #require(until { handler.notes.last?.status == 200 && handler.notes.count == 6 })
        let another = try TestClient(port: server.port, from: "127.0.0.2")
        #expect(another.get("/")?.status == 200)
        #expect(other.isClosed())
    }

    private func address(_ text: String) -> ClientAddress {
        ClientAddress(numeric: text) ?? ClientAddress(text: "", network: "")
    }
}
