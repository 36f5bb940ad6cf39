import CSodium
@testable import Sealing
import SecretMemory
import Testing
import TestSupport

@Suite("Sealed boxes")
struct BoxKeyPairTests {
    private static let text = [UInt8](0..<32)

    private static func seal(_ text: [UInt8], to publicKey: [UInt8]) throws -> [UInt8] {
        try #require(BoxKeyPair.seal(unsafe text.span.bytes, to: publicKey))
    }

    private static func open(_ box: [UInt8], _ pair: borrowing BoxKeyPair) -> [UInt8]? {
        do {
            var opened = try SecretBytes(count: max(0, box.count - BoxKeyPair.overhead))
            try pair.open(box, into: &opened)
            return Samples.bytes(opened)
        } catch {
            return nil
        }
    }

    /// RFC 7748, section 6.1; the random source gives the secret key and nothing else.
    @Test("a pair has the public key of its secret key")
    func publicKeys() throws {
        for (secret, expected) in [
            (
                "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
                "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
            ),
            (
                "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
                "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
            ),
        ] {
            let secret = try #require(HexBytes.bytes(of: secret))
            let pair = BoxKeyPair(secretKey: try Samples.secret(secret))
            #expect(pair.publicKey == HexBytes.bytes(of: expected))
            let kept = pair.withSecretKey { unsafe $0.withUnsafeBytes { unsafe Array($0) } }
            #expect(kept == secret)
        }
        let first = try BoxKeyPair.random(from: .seeded(1))
        let again = BoxKeyPair(
            secretKey: try RandomSource.seeded(1).secret(count: BoxKeyPair.keySize))
        #expect(first.publicKey == again.publicKey)
        #expect(try BoxKeyPair.random(from: .seeded(2)).publicKey != first.publicKey)
    }

    @Test("a box opens for its pair only, with no bit changed, and is new each time")
    func boxes() throws {
        let pair = try BoxKeyPair.random(from: .system)
        let box = try Self.seal(Self.text, to: pair.publicKey)
        #expect(box.count == Self.text.count + BoxKeyPair.overhead)
        #expect(Self.open(box, pair) == Self.text)
        #expect(Self.open(box, try BoxKeyPair.random(from: .system)) == nil)
        for bit in 0..<(box.count * 8) {
            var changed = box
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(Self.open(changed, pair) == nil, "bit \(bit)")
        }
        for count in 0..<box.count { #expect(Self.open(Array(box[..<count]), pair) == nil) }
        #expect(Self.open(box + [0], pair) == nil)
        let boxes = try (0..<100).map { _ in try Self.seal(Self.text, to: pair.publicKey) }
        #expect(Set(boxes.map { $0.prefix(32) }).count == 100)
        #expect(Self.open(try Self.seal([], to: pair.publicKey), pair) == [])
    }

    @Test("what does not open leaves zeros")
    func buffer() throws {
        let pair = try BoxKeyPair.random(from: .system)
        var box = try Self.seal(Self.text, to: pair.publicKey)
        box[79] ^= 1
        var buffer = try Samples.secret([UInt8](repeating: 0xA5, count: 32))
        #expect(throws: SealingError.doesNotOpen) { try pair.open(box, into: &buffer) }
        #expect(Samples.bytes(buffer).allSatisfy { $0 == 0 })
    }

    @Test("nothing is sealed to a point of small order")
    func smallOrder() {
        for point in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
            #expect(BoxKeyPair.seal(unsafe Self.text.span.bytes, to: point) == nil)
        }
    }

    @Test("the library passes its self-tests")
    func library() {
        #expect(throws: Never.self) { try CryptographicLibrary.check() }
    }
}
