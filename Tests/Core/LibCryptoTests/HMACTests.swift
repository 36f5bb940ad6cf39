@testable import LibCrypto
import SecretMemory
import TestSupport
import Testing

@Suite("HMAC and HKDF", .enabled(if: CryptoLibrary.isInstalled, "needs libcrypto"))
struct HMACTests {
    private struct Codes: Decodable {
        struct Group: Decodable {
            let tests: [Case]
        }
        struct Case: Decodable {
            let tcId: Int
            let key, msg, tag: HexBytes
            let result: String
        }
        let testGroups: [Group]
    }

    private struct Derivations: Decodable {
        struct Group: Decodable {
            let tests: [Case]
        }
        struct Case: Decodable {
            let tcId, size: Int
            let ikm, salt, info, okm: HexBytes
            let result: String
        }
        let testGroups: [Group]
    }

    private struct Examples: Decodable {
        struct Case: Decodable {
            let ikm, salt, info, okm: HexBytes
            let L: Int
        }
        let cases: [Case]
    }

    private func code(
        _ message: [UInt8], _ key: [UInt8], _ hash: HashFunction
    ) throws -> [UInt8] {
        let code = try unsafe HMAC.code(of: message.span.bytes, key: key.span.bytes, hash)
        return Samples.bytes(code)
    }

    private func derived(
        _ secret: [UInt8], _ salt: [UInt8], _ info: [UInt8], _ size: Int, _ hash: HashFunction
    ) throws -> [UInt8] {
        let key = try HKDF.extract(
            Samples.secret(secret), salt: unsafe salt.span.bytes, hash)
        return Samples.bytes(try HKDF.expand(key, info: info, to: size, hash))
    }

    @Test(
        "RFC 2202 and RFC 4231, case 2",
        arguments: [
            (HashFunction.sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
            (.sha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
            (
                .sha512,
                """
                164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
                9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737
                """
            ),
        ])
    func published(hash: HashFunction, expected: String) throws {
        let message = Array("what do ya want for nothing?".utf8)
        let found = try code(message, Array("Jefe".utf8), hash)
        #expect(found == HexBytes.bytes(of: expected))
        #expect(found.count == hash.size)
    }

    @Test(
        "Wycheproof, 174 codes by SHA-256",
        .enabled(if: PublishedVectors.areThere, "../shared/vectors is absent"))
    func codes() throws {
        let file: Codes = try PublishedVectors.read("wycheproof-hmac_sha256_test.json")
        let cases = file.testGroups.flatMap(\.tests)
        #expect(cases.count == 174)
        for test in cases {
            let found = try code(test.msg.bytes, test.key.bytes, .sha256)
            let isRight = Array(found.prefix(test.tag.bytes.count)) == test.tag.bytes
            #expect(isRight == (test.result == "valid"), "case \(test.tcId)")
        }
    }

    @Test(
        "Wycheproof, 169 derivations",
        .enabled(if: PublishedVectors.areThere, "../shared/vectors is absent"),
        arguments: [
            (HashFunction.sha256, "wycheproof-hkdf_sha256_test.json", 86),
            (.sha512, "wycheproof-hkdf_sha512_test.json", 83),
        ])
    func derivations(hash: HashFunction, file: String, count: Int) throws {
        let file: Derivations = try PublishedVectors.read(file)
        let cases = file.testGroups.flatMap(\.tests)
        #expect(cases.count == count)
        for test in cases {
            func found() throws -> [UInt8] {
                try derived(test.ikm.bytes, test.salt.bytes, test.info.bytes, test.size, hash)
            }
            if test.result == "valid" {
                #expect(try found() == test.okm.bytes, "case \(test.tcId)")
            } else {
                #expect(throws: LibCryptoError.failed, "case \(test.tcId)") { try found() }
            }
        }
    }

    @Test(
        "RFC 5869, appendix A",
        .enabled(if: PublishedVectors.areThere, "../shared/vectors is absent"))
    func examples() throws {
        let file: Examples = try PublishedVectors.read("rfc5869-hkdf-sha256.json")
        #expect(file.cases.count == 3)
        for test in file.cases {
            let found = try derived(
                test.ikm.bytes, test.salt.bytes, test.info.bytes, test.L, .sha256)
            #expect(found == test.okm.bytes)
        }
    }
}
