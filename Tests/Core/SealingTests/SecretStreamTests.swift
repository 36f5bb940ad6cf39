import CSodium
@testable import Sealing
import SecretMemory
import Testing
import TestSupport

@Suite("A stream of chunks")
struct SecretStreamTests {
    private let key: @Sendable () throws -> SecretBytes = {
        try Samples.secret(String(repeating: "k", count: SecretStream.keySize))
    }

    /// Three chunks, the first with associated data.
    private func sealed(_ texts: [String]) throws -> (header: [UInt8], chunks: [[UInt8]]) {
        var writer = try SecretStream.Writer(key: key())
        let header = writer.header
        var chunks: [[UInt8]] = []
        for (index, text) in texts.enumerated() {
            let bytes = Array(text.utf8)
            let isLast = index == texts.count - 1
            chunks.append(
                unsafe writer.seal(bytes.span.bytes, index == 0 ? [1, 2] : [], isLast: isLast))
        }
        return (header, chunks)
    }

    /// Opens chunks in this order, and gives their texts and which one ended the stream.
    private func opened(
        _ header: [UInt8], _ chunks: [[UInt8]], context: [UInt8] = [1, 2],
        key other: String? = nil
    ) throws -> (texts: [String], ends: [Bool]) {
        let key = try other.map { try Samples.secret($0) } ?? key()
        var reader = try SecretStream.Reader(header: header, key: key)
        var (texts, ends): ([String], [Bool]) = ([], [])
        for (index, chunk) in chunks.enumerated() {
            var buffer = try SecretBytes(count: max(0, chunk.count - SecretStream.overhead))
            do {
                ends.append(try reader.open(chunk, index == 0 ? context : [], into: &buffer))
            } catch {
                #expect(Samples.bytes(buffer).allSatisfy { $0 == 0 })
                throw error
            }
            texts.append(String(decoding: Samples.bytes(buffer), as: UTF8.self))
        }
        return (texts, ends)
    }

    @Test("opens as it was sealed, and its end is known")
    func roundTrip() throws {
        let texts = ["first", "", String(repeating: "x", count: 65_536)]
        let (header, chunks) = try sealed(texts)
        #expect(chunks.map(\.count) == texts.map { $0.utf8.count + SecretStream.overhead })
        let found = try opened(header, chunks)
        #expect(found.texts == texts)
        #expect(found.ends == [false, false, true])
    }

    @Test("does not open with a chunk changed, cut, left out, repeated or moved")
    func tampered() throws {
        let (header, chunks) = try sealed(["first", "second", "third"])
        var cases: [[[UInt8]]] = [
            [chunks[1], chunks[2]], [chunks[0], chunks[2]], [chunks[0], chunks[0]],
            [chunks[0], chunks[2], chunks[1]], [chunks[0], Array(chunks[1].dropLast())], [[]],
            [chunks[0], []],
        ]
        for index in 0..<3 {
            for place in [0, 5, chunks[index].count - 1] {
                var changed = chunks
                changed[index][place] ^= 1
                cases.append(changed)
            }
        }
        for chunks in cases {
            #expect(throws: SealingError.doesNotOpen) { try opened(header, chunks) }
        }
        var other = header
        other[20] ^= 1
        #expect(throws: SealingError.doesNotOpen) { try opened(other, chunks) }
        #expect(throws: SealingError.doesNotOpen) { try opened(header, chunks, context: [1]) }
        #expect(throws: SealingError.doesNotOpen) {
            try opened(header, chunks, key: String(repeating: "l", count: 32))
        }
    }

    @Test("has no other tags than those for a chunk and for the last one", arguments: [1, 2])
    func tags(tag: UInt8) throws {
        var state = crypto_secretstream_xchacha20poly1305_state()
        var header = [UInt8](repeating: 0, count: SecretStream.headerSize)
        var chunk = [UInt8](repeating: 0, count: 3 + SecretStream.overhead)
        _ = unsafe crypto_secretstream_xchacha20poly1305_init_push(
            &state, &header, Array(repeating: UInt8(ascii: "k"), count: 32))
        _ = unsafe crypto_secretstream_xchacha20poly1305_push(
            &state, &chunk, nil, [1, 2, 3], 3, nil, 0, tag)
        #expect(throws: SealingError.doesNotOpen) { try opened(header, [chunk], context: []) }
    }

    @Test("has a hash like that of all of its bytes", arguments: [0, 1, 127, 128, 129, 70_000])
    func hash(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        var plain = try Blake2bStream(size: 32)
        var keyed = try Blake2bStream(size: 32, key: key())
        for start in stride(from: 0, to: size, by: 1_000) {
            plain.feed(Array(bytes[start..<min(start + 1_000, size)]))
            keyed.feed(Array(bytes[start..<min(start + 1_000, size)]))
        }
        #expect(plain.digest() == Blake2b.hash(size: 32) { $0.feed(bytes) })
        let expected = try key().withBytes { key in
            Blake2b.hash(size: 32, keyBytes: key) { $0.feed(bytes) }
        }
        #expect(keyed.digest() == expected)
    }
}
