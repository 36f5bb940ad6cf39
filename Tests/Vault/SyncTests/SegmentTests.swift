import Sealing
import SecretMemory
@testable import Sync
import SyncMembers
import Testing
import TestSupport

@Suite("Segments")
struct SegmentTests {
    private let random = RandomSource.seeded(5)
    private let group: GroupID
    private let device: DeviceID
    private let keys: EpochKeys

    init() throws {
        group = .random(from: random)
        device = .random(from: random)
        keys = try EpochStatement.make(group, for: [:], random: random).1
    }

    private func pair() throws -> SigningKeyPair {
        try SigningKeyPair(seed: SecretBytes(count: 32))
    }

    private func versions(at dot: Dot) -> [Version] {
        let object = ObjectID.random(from: random)
        let origin = Origin(dot: dot, seen: VersionVector())
        func version(_ field: RecordField, _ content: RecordContent, _ level: SyncLevel) -> Version
        {
            Version(
                RecordKey(object, field, Stamp(clock: 9, device: device)), content, level, origin,
                applied: 0)
        }
        return [
            version(.taskName, .open(Array("buy bread".utf8)), .list),
            version(.label, .open(Array("bank".utf8)), .whileUnlocked),
            version(.value, .secret(fingerprint: [], size: 6), .afterVerification),
        ]
    }

    private func segment(
        number: UInt64 = 1, previous: [UInt8] = Head.noHash, heads: Heads = [:]
    ) throws -> Segment {
        let dot = Dot(device, number)
        return try ChangeWriter(group: group, epoch: keys, time: 4_711, random: random).segment(
            versions(at: dot), at: dot, after: previous, naming: heads, following: 0, key: pair()
        ) { _, body in
            let secret = Array("s3cret".utf8)
            body(unsafe secret.span.bytes)
        }
    }

    @Test("a segment opens with its levels, each with its own key")
    func levels() throws {
        let segment = try segment()
        #expect(try Segment(segment.bytes) == segment)
        #expect(try segment.isSigned(by: pair().publicKey))
        let body = try SegmentBody.open(segment, keys.limited(to: .list), after: VersionVector())
        #expect(body.time == 4_711)
        #expect(body.records.map(\.content) == [Array("buy bread".utf8)])
        let unlocked = SealedPart(
            level: .whileUnlocked, prefix: segment.prefix, seen: body.seen,
            blob: try #require(body.parts[.whileUnlocked]), announced: [])
        var announced: [RecordKey] = []
        var contents: [[UInt8]] = []
        try unlocked.open(under: #require(keys[.whileUnlocked])) {
            announced = $0
        } visit: {
            contents.append($1.bytes)
            #expect($0.key.field == .label)
        }
        #expect(contents == [Array("bank".utf8)])
        #expect(announced.map(\.field) == [.value])
        var verified = SealedPart(
            level: .afterVerification, prefix: segment.prefix, seen: body.seen,
            blob: try #require(body.parts[.afterVerification]), announced: announced)
        contents = []
        try verified.open(under: #require(keys[.afterVerification])) { _ in
        } visit: {
            contents.append($1.bytes)
            #expect($0.key.field == .value)
        }
        #expect(contents == [Array("s3cret".utf8)])
        // Neither key opens the other part, and no part opens with the records of another.
        #expect(throws: SegmentFailure.partSeal) {
            try verified.open(under: #require(keys[.whileUnlocked])) { _ in
            } visit: { _, _ in
            }
        }
        verified.announced = []
        #expect(throws: SegmentFailure.partContent) {
            try verified.open(under: #require(keys[.afterVerification])) { _ in
            } visit: { _, _ in
            }
        }
    }

    @Test("no byte of a segment can be changed, and none added or left out")
    func everyByte() throws {
        let segment = try segment()
        let key = try pair().publicKey
        for index in segment.bytes.indices {
            var changed = segment.bytes
            changed[index] ^= 1
            let isAccepted = (try? Segment(changed))?.isSigned(by: key) ?? false
            #expect(!isAccepted, "byte \(index)")
        }
        for count in 0..<segment.bytes.count {
            let isAccepted =
                (try? Segment(Array(segment.bytes[..<count])))?.isSigned(by: key) ?? false
            #expect(!isAccepted)
        }
        #expect(try !Segment(segment.bytes + [0]).isSigned(by: key))
    }

    @Test("a body and a part open at their place only")
    func places() throws {
        let first = try segment()
        let second = try segment(number: 2, previous: first.hash)
        let moved = Segment(second.prefix, body: first.body, key: try pair())
        #expect(throws: SegmentFailure.bodySeal) {
            try SegmentBody.open(moved, keys, after: VersionVector())
        }
        let body = try SegmentBody.open(first, keys, after: VersionVector())
        let part = SealedPart(
            level: .whileUnlocked, prefix: second.prefix, seen: body.seen,
            blob: try #require(body.parts[.whileUnlocked]), announced: [])
        #expect(throws: SegmentFailure.partSeal) {
            try part.open(under: #require(keys[.whileUnlocked])) { _ in
            } visit: { _, _ in
            }
        }
    }

    @Test("the body has a size of Padmé, and the largest one fits a segment")
    func sizes() throws {
        #expect(Padding.paddedSize(forDataOf: Segment.bodyLimit) == 33 * 32_768)
        let rest = SegmentPrefix.size + Sealing.overhead + SigningKeyPair.signatureSize
        #expect(rest + 33 * 32_768 <= Segment.limit)
        #expect(rest + Padding.paddedSize(forDataOf: Segment.bodyLimit + 1) > Segment.limit)
        let segment = try segment()
        #expect(segment.body.count - Sealing.overhead == 512)
        #expect(throws: SegmentFailure.tooLong) {
            try Segment([UInt8](repeating: 0, count: Segment.limit + 1))
        }
    }

    @Test("heads that go back, name the author, or leave out a device of a full list are refused")
    func heads() throws {
        let other = DeviceID.random(from: random)
        let head = Head(number: 4, hash: random.bytes(count: 32))
        var before = VersionVector()
        before[other] = 5
        #expect(throws: SegmentFailure.heads) {
            try SegmentBody.open(segment(heads: [other: head]), keys, after: before)
        }
        #expect(throws: SegmentFailure.heads) {
            try SegmentBody.open(segment(heads: [device: head]), keys, after: VersionVector())
        }
        let previous = random.bytes(count: 32)
        #expect(throws: SegmentFailure.heads) {
            try SegmentBody.open(segment(number: 64, previous: previous), keys, after: before)
        }
        before[other] = 4
        let body = try SegmentBody.open(
            segment(number: 64, previous: previous, heads: [other: head]), keys, after: before)
        #expect(body.seen == before)
    }

    @Test("a prefix of another format, kind or number has its own error")
    func prefixes() throws {
        let bytes = try segment().bytes
        func failure(_ change: (inout [UInt8]) -> Void) -> SegmentFailure? {
            var changed = bytes
            change(&changed)
            do {
                _ = try Segment(changed)
                return nil
            } catch { return error }
        }
        #expect(failure { $0[0] = 0 } == .magic)
        #expect(failure { $0[4] = 0 } == .format)
        #expect(failure { $0[4] = 2 } == .laterFormat)
        #expect(failure { $0[8] = 4 } == .kind)
        #expect(failure { $0[41] = 0 } == .number)
        #expect(failure { $0[41] = 2 } == .number)
        #expect(failure { $0[49] = 1 } == .number)
        #expect(failure { $0 = Array($0[..<176]) } == .truncated)
        #expect(failure { _ in } == nil)
    }

    @Test("a change is divided between segments, and ends at 64")
    func division() throws {
        func records(_ count: Int, size: Int) -> [OutgoingRecord] {
            (0..<count).map { number in
                OutgoingRecord(
                    RecordKey(
                        .random(from: random), .label, Stamp(clock: UInt64(number), device: device)),
                    .secret(fingerprint: [], size: size), .whileUnlocked)
            }
        }
        #expect(try ChangeWriter.pack([], headCount: 0).count == 1)
        #expect(try ChangeWriter.pack(records(3, size: 300_000), headCount: 16).count == 1)
        #expect(try ChangeWriter.pack(records(4, size: 300_000), headCount: 16).count == 2)
        #expect(try ChangeWriter.pack(records(1, size: 1_048_576), headCount: 16).count == 1)
        #expect(try ChangeWriter.pack(records(64, size: 1_000_000), headCount: 16).count == 64)
        #expect(throws: SyncError.changeTooLarge) {
            try ChangeWriter.pack(records(65, size: 1_000_000), headCount: 16)
        }
        #expect(throws: SyncError.recordTooLarge) {
            try ChangeWriter.pack(records(1, size: Segment.bodyLimit), headCount: 0)
        }
    }

    @Test("the largest divided segment fits")
    func largest() throws {
        let key = RecordKey(.random(from: random), .value, Stamp(clock: 1, device: device))
        var size = Segment.bodyLimit
        func record() -> OutgoingRecord {
            OutgoingRecord(key, .secret(fingerprint: [], size: size), .afterVerification)
        }
        while (try? ChangeWriter.pack([record()], headCount: 0)) == nil { size -= 1 }
        let secret = [UInt8](repeating: 7, count: size)
        let dot = Dot(device, 1)
        let version = record().version(in: Origin(dot: dot, seen: VersionVector()), applied: 0)
        let segment = try ChangeWriter(group: group, epoch: keys, time: 0, random: random).segment(
            [version], at: dot, after: Head.noHash, naming: [:], following: 0, key: pair()
        ) { _, body in body(unsafe secret.span.bytes) }
        #expect(segment.bytes.count <= Segment.limit)
        #expect(size > 1_048_576)
    }
}

extension RawSpan {
    /// A copy of the bytes.
    fileprivate var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }
}
