import SecretMemory
@testable import Secrets
import TestSupport
import Testing

@Suite("One-time passwords")
struct OneTimePasswordTests {
    private static let secrets: [(OneTimeAlgorithm, String)] = [
        (.sha1, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"),
        (.sha256, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA===="),
        (
            .sha512,
            "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA="
        ),
    ]

    private func generator(_ seed: String) throws -> OneTimePassword {
        try OneTimePassword(seed: try Samples.secret(seed))
    }

    private func code(_ seed: String, at seconds: Int64) throws -> String {
        String(decoding: bytes(of: try generator(seed).code(at: seconds)), as: UTF8.self)
    }

    private func problem(_ seed: String) -> OneTimePasswordError? {
        do {
            _ = try generator(seed)
            return nil
        } catch {
            return error as? OneTimePasswordError
        }
    }

    @Test(
        "RFC 4648, section 10, without padding",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
        ])
    func encoding(plain: String, text: String) throws {
        let encoded = try Samples.secret(plain).withBytes { try Base32.encode($0) }
        #expect(String(decoding: bytes(of: encoded), as: UTF8.self) == text)
    }

    @Test("A new secret has 160 bits, and its URI gives the same codes")
    func newSecret() throws {
        let secret = try OneTimePassword.makeSecret()
        let password = try OneTimePassword(seed: secret)
        #expect(password.keySize == 20 && secret.count == 32)
        let uri = try OneTimePassword.uri(
            of: secret, account: "ada@example.org", issuer: "https://auth.example.org")
        let text = String(decoding: bytes(of: uri), as: UTF8.self)
        #expect(
            text.hasPrefix(
                "otpauth://totp/https%3A%2F%2Fauth.example.org:ada%40example.org?secret="))
        let own = try password.code(at: 59)
        let isEqual = own.isEqual(to: try OneTimePassword(seed: uri).code(at: 59))
        #expect(isEqual)
    }

    @Test(
        "RFC 6238, appendix B",
        arguments: [
            (59, ["94287082", "46119246", "90693936"]),
            (1_111_111_109, ["07081804", "68084774", "25091201"]),
            (1_111_111_111, ["14050471", "67062674", "99943326"]),
            (1_234_567_890, ["89005924", "91819424", "93441116"]),
            (2_000_000_000, ["69279037", "90698825", "38618901"]),
            (20_000_000_000, ["65353130", "77737706", "47863826"]),
        ] as [(Int64, [String])])
    func published(time: Int64, codes: [String]) throws {
        for ((algorithm, secret), expected) in zip(Self.secrets, codes) {
            let seed =
                "otpauth://totp/A?secret=\(secret)&digits=8&algorithm=\(algorithm.rawValue)"
            #expect(try code(seed, at: time) == expected)
        }
    }

    @Test("a secret alone has six digits by SHA-1 each 30 seconds")
    func standard() throws {
        let secret = Self.secrets[0].1
        #expect(try code(secret, at: 59) == "287082")
        let generator = try generator(secret)
        #expect(generator.algorithm == .sha1)
        #expect([0, 29, 30, 59].map { generator.secondsLeft(at: $0) } == [30, 1, 30, 1])
        #expect(try code(secret, at: -5) == (try code(secret, at: 0)))
    }

    @Test(
        "blanks, case, padding and white space of a seed do not count",
        arguments: [
            "gezd gnbv gy3t qojq gezd gnbv gy3t qojq", " GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\r\n",
            "GEZDGNBV-GY3TQOJQ-GEZDGNBV-GY3TQOJQ", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ====",
            "otpauth://totp/?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
            "OTPAUTH://TOTP/Ex:ada%20l?issuer=Ex&Secret=gezdgnbvgy3tqojq+gezdgnbvgy3tqojq%3D%3D\n",
        ])
    func tolerated(seed: String) throws {
        #expect(try code(seed, at: 59) == "287082")
    }

    @Test("digits and period come from the URI")
    func parameters() throws {
        let seed = "otpauth://totp/A?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=7&period=60"
        #expect(try code(seed, at: 119) == "4287082")
        #expect(try generator(seed).secondsLeft(at: 119) == 1)
    }

    @Test(
        "a broken seed is named by its first mistake",
        arguments: [
            ("", .noSecret), (" \n", .noSecret), ("====", .character(1)), ("GEZ1", .character(4)),
            ("GEZD=GNB", .character(6)), ("GEZD\u{E4}", .character(5)), ("G", .incomplete),
            ("GEZ", .incomplete), ("GEZDGN", .incomplete),
            ("otpauth://totp/A", .noSecret), ("otpauth://totp/A?secret=", .noSecret),
            ("otpauth://totp/A?digits=6", .noSecret),
            ("otpauth://hotp/A?secret=GEZDGNBV&counter=1", .counterBased),
            ("steam://GEZDGNBV", .steam),
            ("otpauth://totpx/A?secret=GEZDGNBV", .notTimeBased),
            ("otpauth:totp?secret=GEZDGNBV", .notTimeBased),
            ("otpauth://totp/A?secret=GEZDGNBV&secret=GEZDGNBV", .parameter("secret")),
            ("otpauth://totp/A?secret=GEZD%3", .parameter("secret")),
            ("otpauth://totp/A?secret=GEZD%zz", .parameter("secret")),
            ("otpauth://totp/A?secret=GEZDGNBV&algorithm=MD5", .parameter("algorithm")),
            ("otpauth://totp/A?secret=GEZDGNBV&digits=5", .parameter("digits")),
            ("otpauth://totp/A?secret=GEZDGNBV&digits=9", .parameter("digits")),
            ("otpauth://totp/A?secret=GEZDGNBV&digits=", .parameter("digits")),
            ("otpauth://totp/A?secret=GEZDGNBV&digits", .parameter("digits")),
            ("otpauth://totp/A?secret=GEZDGNBV&encoder=steam", .steam),
            ("otpauth://totp/A?secret=GEZDGNBV&encoder=other", .parameter("encoder")),
            ("otpauth://totp/A?secret=GEZDGNBV&period=0", .parameter("period")),
            ("otpauth://totp/A?secret=GEZDGNBV&period=-1", .parameter("period")),
            (
                "otpauth://totp/A?secret=GEZDGNBV&period=99999999999999999999",
                .parameter("period")
            ),
        ] as [(String, OneTimePasswordError)])
    func broken(seed: String, expected: OneTimePasswordError) {
        #expect(problem(seed) == expected)
    }
}
