@testable import LibCrypto
import SecretMemory
import TestSupport
import Testing

@Suite("Diffie-Hellman", .enabled(if: CryptoLibrary.isInstalled, "needs libcrypto"))
struct DiffieHellmanTests {
    private static let prime =
        HexBytes.bytes(
            of: """
                ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404ddef9519b3cd3a431b302b0a6df25f1437\
                4fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7edee386bfb5a899fa5ae9f24117c4b1fe649286651ece65381ffffffffffffffff
                """) ?? []

    @Test("two sides agree on one secret, whatever zeros are before a key")
    func agreement() throws {
        let one = try RandomSource.system.secret(count: 32)
        let two = try RandomSource.system.secret(count: 32)
        let (first, second) = (
            try DiffieHellman.publicKey(of: one), try DiffieHellman.publicKey(of: two)
        )
        #expect(first.count == DiffieHellman.size && first != second)
        guard let ours = try DiffieHellman.agree(one, with: second),
            let theirs = try DiffieHellman.agree(two, with: [0, 0] + first)
        else {
            Issue.record("the keys are those of the group")
            return
        }
        let isSame = ours.isEqual(to: theirs)
        #expect(isSame && ours.count == DiffieHellman.size)
    }

    @Test("keys outside of the group are refused")
    func badKeys() throws {
        let exponent = try RandomSource.system.secret(count: 32)
        func isAccepted(_ key: [UInt8]) throws -> Bool {
            try DiffieHellman.agree(exponent, with: key) != nil
        }
        var largest = Self.prime
        largest[127] -= 1
        var good = largest
        good[127] -= 1
        for key in [[], [0], [1], [0, 1], largest, Self.prime, [1] + Self.prime] as [[UInt8]] {
            #expect(try !isAccepted(key), "\(key.count)")
        }
        #expect(try isAccepted([2]))
        #expect(try isAccepted(good))
    }
}
