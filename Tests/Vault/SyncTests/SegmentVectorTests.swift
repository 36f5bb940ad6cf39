import Sealing
import SecretMemory
@testable import Sync
import Testing
import TestSupport

/// A file of `Tests/Vectors/Sync`: the lines, by their first word.
struct SyncVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let lines: [String: [String]]

    static let segments = TestVectors.all(in: "Sync") { SyncVector($0, $1) }

    private init(_ name: String, _ text: String) {
        testDescription = name
        var lines: [String: [String]] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            lines[parts[0], default: []].append(parts.count > 1 ? parts[1] : "")
        }
        self.lines = lines
    }

    func all(_ word: String) -> [[String]] {
        (lines[word] ?? []).map { $0.split(separator: " ").map(String.init) }
    }

    func text(_ word: String) throws -> String { try #require(lines[word]?.first) }
    func bytes(_ word: String) throws -> [UInt8] { try TestVectors.bytes(text(word)) }
    func device(_ digits: String) throws -> DeviceID { try #require(DeviceID(text: digits)) }
}

/// The vectors that were made from `Docs/Sync.md` by a program of its own.
@Suite("The vectors of segments")
struct SegmentVectorTests {
    @Test("open, or are refused", arguments: SyncVector.segments)
    func segment(vector: SyncVector) throws {
        var found: [String] = []
        var failure = "opens"
        do {
            try read(vector) { found.append($0) }
        } catch let error as SegmentFailure {
            failure = error.rawValue
        }
        #expect(try failure == vector.text("expect"))
        if failure == "opens" {
            #expect(found == vector.all("record").map { $0.joined(separator: " ") })
        }
    }

    private func read(_ vector: SyncVector, _ visit: (String) -> Void) throws {
        let group = try #require(GroupID(text: vector.text("group")))
        let author = try vector.device(vector.text("author"))
        let bytes = try vector.bytes("segment")
        let segment = try Segment(
            bytes, of: group, at: Dot(author, Segment(bytes).prefix.dot.number),
            signedBy: vector.bytes("segment_key"))
        if segment.prefix.format < UInt32(try vector.text("used_format")) ?? 0 {
            throw SegmentFailure.earlierFormat
        }
        var keys: [SyncLevel: LevelKey] = [:]
        for (level, digits) in zip(SyncLevel.allCases, vector.all("keys")[0]) {
            let key = try TestVectors.bytes(digits)
            keys[level] = LevelKey(try SecretBytes(copying: unsafe key.span.bytes))
        }
        var seen = VersionVector()
        for words in vector.all("seen") {
            seen[try vector.device(words[0])] = try #require(UInt64(words[1]))
        }
        let epoch = EpochKeys(id: try vector.bytes("epoch"), keys: keys)
        let body = try SegmentBody.open(segment, epoch, after: seen)
        for record in body.records { visit(shown(record, record.content)) }
        var announced: [RecordKey] = []
        for level in [SyncLevel.whileUnlocked, .afterVerification] {
            guard let blob = body.parts[level], let key = keys[level] else { continue }
            let part = SealedPart(
                level: level, prefix: segment.prefix, seen: body.seen, blob: blob,
                announced: announced)
            try part.open(under: key) {
                announced = $0
            } visit: { record, content in
                visit(shown(record, unsafe content.withUnsafeBytes { unsafe [UInt8]($0) }))
            }
        }
        if let announcement = Snapshot.Announcement(body.addition),
            let key = keys[.afterVerification]
        {
            let snapshot = Snapshot(segment.prefix, seen: body.seen, announcement)
            guard snapshot.isProven(in: group, under: key) else {
                throw SegmentFailure.snapshotProof
            }
            #expect(vector.all("snapshot") == [snapshot.names.map(\.text)])
        }
        if segment.prefix.kind == .snapshot {
            #expect(try ChainRun.bytes(#require(ChainRun.runs(body.addition))) == body.addition)
        }
        guard try vector.text("expect") == "opens" else { return }
        #expect(try segment.hash == vector.bytes("hash"))
        #expect(try String(body.time) == vector.text("time"))
        #expect(try String(body.following) == vector.text("following"))
        var heads: Heads = [:]
        for words in vector.all("head") {
            heads[try vector.device(words[0])] = Head(
                number: try #require(UInt64(words[1])), hash: try TestVectors.bytes(words[2]))
        }
        #expect(body.heads == heads)
    }

    private func shown(_ record: TravellingRecord, _ content: [UInt8]) -> String {
        func digits(_ bytes: [UInt8]) -> String {
            bytes.isEmpty
                ? "-" : bytes.map { String(UInt16($0) + 256, radix: 16).suffix(2) }.joined()
        }
        let dot = record.origin.dot
        let written = record.written == record.level ? "" : ":\(record.written.rawValue)"
        return [
            "\(record.level.rawValue)\(written)", dot.device.text, String(dot.number),
            record.key.object.text, String(record.key.field.number),
            digits(record.key.field.detail),
            String(record.key.stamp.clock), digits(content),
        ].joined(separator: " ")
    }
}
