import Sealing
import SecretMemory
import SyncMembers
import TextCoding
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// The vectors that were made from `Docs/Sync.md` and `Docs/Format.md` by a program of its own.
@Suite("The vectors of parts of files") struct FilePartVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lines: [String: [String]]

        static let all = TestVectors.all(in: "FileParts") { Vector($0, $1) }

        private init(_ name: String, _ text: String) {
            testDescription = name
            lines = text.split(separator: "\n").reduce(into: [:]) { lines, line in
                let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
                lines[parts[0], default: []].append(parts.count > 1 ? parts[1] : "")
            }
        }
    }

    @Test("open, or are refused", arguments: Vector.all)
    func parts(vector: Vector) throws {
        var answer = "opens"
        do {
            let content = try open(vector)
            if content == nil { answer = "file_part" }
            #expect(content == vector.lines["content"]?.first)
        } catch VaultError.damaged(let failure) {
            answer = failure.rawValue
        }
        #expect([answer] == vector.lines["expect"])
    }

    /// Size and hash of the content; nil if a part is missing or has another size.
    private func open(_ vector: Vector) throws -> String? {
        let bytes = try TestVectors.bytes(#require(vector.lines["value"]?.first))
        let value = try SecretBytes(copying: unsafe bytes.span.bytes)
        let content = try #require(
            FileContent.attribute(ofValue: value).flatMap { FileContent(attribute: $0.text) })
        var remote: [FilePartName: [UInt8]] = [:]
        for line in vector.lines["part"] ?? [] {
            let words = line.split(separator: " ").map(String.init)
            if let name = FilePartName(words[0]) { remote[name] = try TestVectors.bytes(words[1]) }
        }
        let storage = try VaultDatabase.inMemory()
        defer { storage.close() }
        let parts = SealedFileParts(storage, random: .seeded(1))
        for number in 0..<content.partCount {
            guard let part = remote[FilePartName(content.version, number)],
                part.count == SealedFileParts.size(ofPart: number, of: content)
            else { return nil }
            try parts.put(part, number: number, of: content, at: 0)
        }
        var opener = try ChunkOpener(FileValue(value))
        var opened: [UInt8] = []
        while !opener.isAtEnd {
            try storage.read { try opener.openNext($0) }
            opened += Samples.bytes(opener.buffer)
        }
        // This vault puts the same parts, but for what follows the last chunk.
        let numbers = 0..<content.partCount
        let made = try numbers.map { number in
            var part: [UInt8] = []
            let isWhole = try parts.read(number, of: content, into: &part)
            #expect(isWhole)
            return part
        }
        let taken = numbers.map { remote[FilePartName(content.version, $0)] ?? [] }
        #expect(made.map(\.count) == taken.map(\.count))
        let sealed = opened.count + 17 * max(1, (opened.count + 65_535) / 65_536)
        // A failure does not print them.
        let isSame = made.joined().prefix(sealed).elementsEqual(taken.joined().prefix(sealed))
        #expect(isSame)
        let hash = Blake2b.hash(size: 32) { $0.feed(opened) }
        return "\(opened.count) \(Hexadecimal.text(hash))"
    }
}
