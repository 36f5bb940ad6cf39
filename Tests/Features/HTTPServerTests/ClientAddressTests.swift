@testable import HTTPServer
import Testing
import Platform

@Suite("Client addresses")
struct ClientAddressTests {
    @Test(
        "An address has its usual form, and is counted by its network",
        arguments: [
            ([192, 0, 2, 7], "192.0.2.7", "192.0.2.7"),
            (
                [0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6],
                "2001:db8:1:2:3:4:5:6",
                "2001:db8:1:2::/64"
            ),
            (
                [
                    0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                    0xff,
                ],
                "2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"
            ),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "::1", "::/64"),
            (
                [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 7], "192.0.2.7", "192.0.2.7"
            ),
        ] as [([UInt8], String, String)])
    func forms(_ bytes: [UInt8], _ text: String, _ network: String) {
        #expect(ClientAddress(bytes: bytes) == ClientAddress(text: text, network: network))
    }

    @Test("Attempts are counted by the address and its /24, or by /64, /56 and /48")
    func networks() throws {
        func networks(_ text: String) throws -> [String] {
            try #require(ClientAddress(numeric: text)).networks
        }
        #expect(try networks("192.0.2.7") == ["192.0.2.7", "192.0.2.0/24"])
        #expect(try networks("::ffff:192.0.2.7") == networks("192.0.2.7"))
        let address = try networks("2001:db8:1:2345::1")
        #expect(address == ["2001:db8:1:2345::/64", "20010db8000123/56", "20010db80001/48"])
        #expect(try networks("2001:db8:1:2399::9").dropFirst() == address.dropFirst())
        #expect(try networks("2001:db8:1:24ff::9").dropFirst(2) == address.dropFirst(2))
        #expect(try networks("2001:db8:2::9").allSatisfy { !address.contains($0) })
        #expect(ClientAddress(text: "", network: "").networks == [""])
    }

    @Test("Connections of one /64 network are counted together")
    func network() throws {
        let table = ConnectionTable(maximum: 0, maximumPerNetwork: 2)
        func address(_ last: UInt8, network: UInt8 = 0) -> ClientAddress {
            ClientAddress(
                bytes: [0x20, 1, 0x0d, 0xb8, 0, 0, 0, network] + [0, 0, 0, 0, 0, 0, 0, last])
        }
        func admit(_ descriptor: Int32, _ address: ClientAddress) -> ClientConnection? {
            table.admit(descriptor, of: address, at: 0, until: .never)
        }
        let first = try #require(admit(1_000_001, address(1)))
        // The library has not begun with them, so none can make room.
        #expect(admit(1_000_002, address(2)) != nil)
        #expect(admit(1_000_003, address(3)) == nil)
        #expect(admit(1_000_004, address(3, network: 1)) != nil)
        table.remove(first)
        #expect(admit(1_000_005, address(3)) != nil)
        // A proxy has connections for many.
        let proxy = table.admit(
            1_000_006, of: address(4), isProxy: true, at: 0, until: .never)
        #expect(proxy != nil)
        #expect(table.count == 4)
        #expect(table.closures.refused == 1)
    }
}
