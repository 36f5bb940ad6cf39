import Foundation
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore

/// The properties of `Tests/Fuzz`, over 200,000 mutations of the vectors; the same ones each time.
///
/// `MUTATION_SEED=N swift test --filter MutationTests` tries others.
@Suite("Mutated")
struct MutationTests {
    private static let seed =
        ProcessInfo.processInfo.environment["MUTATION_SEED"].flatMap { UInt64($0) } ?? 0x5EED

    @Test("headers are refused, or written as they were read")
    func headers() {
        let corpus = VectorTests.files.compactMap(\.header)
        #expect(corpus.count > 300)
        mutate(corpus, times: 50_000, FormatProperties.header)
    }

    @Test("slots are refused, or written as they were read")
    func slots() {
        let corpus = VectorTests.files.compactMap(\.header).flatMap { header in
            FormatProperties.slots(of: header).map { Array(header[8..<24] + header[$0]) }
        }
        #expect(corpus.count > 300)
        mutate(corpus, times: 30_000, FormatProperties.slot)
    }

    @Test("attributes are refused, or written as they were read")
    func items() throws {
        let contents = VectorTests.files.flatMap(\.content)
        let corpus = try contents.map { content in
            ItemDescription(
                name: try SecretName(
                    service: String(decoding: content.service, as: UTF8.self),
                    account: String(decoding: content.account, as: UTF8.self)),
                label: String(decoding: content.label, as: UTF8.self), created: content.created,
                modified: content.modified,
                extra: content.extra.map { pair in
                    ExtraAttribute(
                        key: String(decoding: pair[0], as: UTF8.self),
                        text: String(decoding: pair.count > 1 ? pair[1] : [], as: UTF8.self))
                }
            ).bytes
        }.filter { $0.count < 1_000 }
        #expect(corpus.count > 50)
        mutate(corpus, times: 90_000, FormatProperties.item)
    }

    @Test("rollback records are refused, or written as they were read")
    func records() {
        let corpus = VectorTests.files.compactMap(\.rollbackRecord)
        #expect(corpus.count > 10)
        mutate(corpus, times: 30_000, FormatProperties.rollbackRecord)
    }

    private func mutate(
        _ corpus: [[UInt8]], times: Int,
        _ property: ([UInt8], inout Bool) -> String?
    ) {
        guard !corpus.isEmpty else {
            Issue.record("there is nothing to mutate")
            return
        }
        var mutator = Mutator(seed: Self.seed, corpus: corpus)
        var accepted = 0
        for round in 0..<times {
            let bytes = mutator.next()
            var isAccepted = false
            if let fault = property(bytes, &isAccepted) {
                let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                Issue.record("\(fault): seed \(Self.seed), round \(round), \(digits.joined())")
                return
            }
            if isAccepted { accepted += 1 }
        }
        // Neither all nor nothing: the mutations reach behind the first check, and they hurt.
        #expect(accepted > times / 200)
        #expect(accepted < times)
    }
}

/// Makes small changes to the members of a corpus, the same ones for the same seed.
private struct Mutator {
    private var generator: SeededGenerator
    private let corpus: [[UInt8]]

    init(seed: UInt64, corpus: [[UInt8]]) {
        generator = SeededGenerator(seed: seed)
        self.corpus = corpus
    }

    mutating func next() -> [UInt8] {
        var bytes = corpus[number(corpus.count)]
        for _ in 0...number(3) { change(&bytes) }
        return bytes
    }

    private mutating func number(_ bound: Int) -> Int {
        Int(generator.next() % UInt64(max(bound, 1)))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else {
            bytes = [UInt8(number(256))]
            return
        }
        let place = number(bytes.count)
        let end = min(bytes.count, place + 1 + number(32))
        switch number(10) {
        case 0, 1, 2: bytes[place] ^= 1 << UInt8(number(8))
        case 3: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF][number(5)]
        case 4: bytes[place] = UInt8(number(256))
        case 5: bytes.insert(UInt8(number(256)), at: place)
        case 6: bytes.removeSubrange(place..<end)
        case 7: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 8:
            let other = corpus[number(corpus.count)]
            bytes = Array(bytes[..<place] + other[min(place, other.count)...])
        default:
            // A number of four bytes near one of its limits.
            let value = [0, 1, UInt32(bytes.count), 1 << 16, 1 << 31, .max][number(6)]
            for index in 0..<4 where place + index < bytes.count {
                bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index))
            }
        }
    }
}
