@testable import LibCrypto
import SecretMemory
import TestSupport
import Testing

@Suite("Keys on P-256", .enabled(if: CryptoLibrary.isInstalled, "needs libcrypto"))
struct P256Tests {
    private static func bytes(_ digits: String) -> [UInt8] { HexBytes.bytes(of: digits) ?? [] }

    /// RFC 5903, section 8.1.
    private static let ours = (
        key: bytes("C88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433"),
        point: bytes(
            """
            04DAD0B65394221CF9B051E1FECA5787D098DFE637FC90B9EF945D0C3772581180\
            5271A0461CDB8252D61F1C456FA3E59AB1F45B33ACCF5F58389E0577B8990BB3
            """)
    )
    private static let theirs = (
        key: bytes("C6EF9C5D78AE012A011164ACB397CE2088685D8F06BF9BE0B283AB46476BEE53"),
        point: bytes(
            """
            04D12DFB5289C8D4F81208B70270398C342296970A0BCCB74C736FC7554494BF63\
            56FBF3CA366CC23E8157854C13C58D6AAC23F046ADA30F8353E74F33039872AB
            """)
    )
    private static let shared = bytes(
        "D6840F6B42F6EDAFD13116E0E12565202FEF8E9ECE7DCE03812464D04B9442DE")

    private func agreed(_ key: [UInt8], _ point: [UInt8]) throws -> [UInt8]? {
        guard let secret = try P256.agree(Samples.secret(key), with: point) else { return nil }
        return Samples.bytes(secret)
    }

    @Test("RFC 5903, section 8.1: both sides agree on one secret")
    func agreement() throws {
        for (own, peer) in [(Self.ours, Self.theirs), (Self.theirs, Self.ours)] {
            #expect(try P256.point(of: Samples.secret(own.key)) == own.point)
            #expect(try agreed(own.key, peer.point) == Self.shared)
        }
    }

    @Test("Only points of the curve are points")
    func points() throws {
        let point = Self.ours.point
        var offCurve = point
        offCurve[64] ^= 1
        #expect(try P256.isPoint(point))
        let wrong: [[UInt8]] = [
            [], [4], offCurve, Array(point.dropLast()), point + [0], [2] + point.dropFirst(),
            [4] + [UInt8](repeating: 0, count: 64), [4] + [UInt8](repeating: 0xFF, count: 64),
        ]
        for bytes in wrong {
            #expect(try !P256.isPoint(bytes), "\(bytes)")
            #expect(try agreed(Self.ours.key, bytes) == nil, "\(bytes)")
            #expect(try !P256.verifies([0x30, 0], of: [], by: bytes), "\(bytes)")
        }
    }

    @Test("Only numbers from 1 to below the order of the group are private keys")
    func numbers() throws {
        let order = Self.bytes("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
        var last = order
        last[31] -= 1
        #expect(try P256.point(of: Samples.secret(last))?.count == P256.pointSize)
        for number in [order, [], [1], [UInt8](repeating: 0xFF, count: 32)] as [[UInt8]] {
            #expect(try P256.point(of: Samples.secret(number)) == nil)
            #expect(throws: LibCryptoError.failed) {
                try self.agreed(number, Self.theirs.point)
            }
        }
        #expect(try P256.point(of: SecretBytes(count: 32)) == nil)
    }

    @Test(
        "RFC 6979, appendix A.2.5: a signature with its numbers in 64 bytes",
        arguments: [
            (
                "sample", "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
                "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
            ),
            (
                "test", "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
                "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"
            ),
        ])
    func signatures(message: String, r: String, s: String) throws {
        let point = Self.bytes(
            """
            0460FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6\
            7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299
            """)
        let (message, numbers) = (Array(message.utf8), Self.bytes(r + s))
        let signature = try #require(P256.signature(ofNumbers: numbers))
        #expect(try P256.verifies(signature, of: message, by: point))
        #expect(try !P256.verifies(signature, of: message + [0], by: point))
        #expect(try !P256.verifies(signature, of: message, by: Self.ours.point))
        #expect(try !P256.verifies(numbers, of: message, by: point))
        #expect(P256.signature(ofNumbers: numbers + [0]) == nil)
        #expect(P256.signature(ofNumbers: Array(numbers.dropLast())) == nil)
    }

    @Test("Numbers in DER are as short as they can be, and never negative")
    func integers() {
        let numbers = [UInt8](repeating: 0, count: 31) + [0x80] + [UInt8](repeating: 0, count: 32)
        #expect(P256.signature(ofNumbers: numbers) == [0x30, 7, 2, 2, 0, 0x80, 2, 1, 0])
    }
}
