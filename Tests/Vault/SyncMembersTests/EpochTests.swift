import Sealing
import SecretMemory
import Sync
@testable import SyncMembers
import Testing
import TestSupport

@Suite("Epochs")
struct EpochTests {
    private let random = RandomSource.seeded(11)

    /// The key pairs of one member.
    private final class Member {
        let id: DeviceID
        let pairs: [SyncLevel: Pair]
        let keys: DeviceKeys

        final class Pair {
            let pair: BoxKeyPair
            init(_ random: RandomSource) throws { pair = try .random(from: random) }
        }

        init(_ random: RandomSource) throws {
            id = .random(from: random)
            let pairs = try SyncLevel.allCases.map { ($0, try Pair(random)) }
            self.pairs = Dictionary(uniqueKeysWithValues: pairs)
            keys = DeviceKeys(
                boxKeys: pairs.map { $0.1.pair.publicKey },
                signingKeys: pairs.map { _ in random.bytes(count: 32) })
        }

        func open(_ level: SyncLevel, of statement: EpochStatement) throws -> LevelKey {
            guard let pair = pairs[level] else { throw EpochFailure.memberKey }
            return try statement.key(level, for: id, with: pair.pair)
        }
    }

    @Test("each member opens the key of each level, and its id is the hash of the statement")
    func members() throws {
        let group = GroupID.random(from: random)
        let members = try (0..<3).map { _ in try Member(random) }
        let (statement, keys) = try EpochStatement.make(
            group, for: Dictionary(uniqueKeysWithValues: members.map { ($0.id, $0.keys) }),
            random: random)
        let parsed = try #require(EpochStatement(statement.bytes))
        #expect(parsed == statement)
        #expect(keys.id == Blake2b.hash(size: 32) { $0.feed(statement.bytes) })
        for member in members {
            for level in SyncLevel.allCases {
                let key = try member.open(level, of: parsed)
                #expect(key.commitment(group, level) == keys[level]?.commitment(group, level))
            }
        }
    }

    @Test("the keys of the levels are independent, and a locked machine has one of them")
    func levels() throws {
        let group = GroupID.random(from: random)
        let (_, keys) = try EpochStatement.make(group, for: [:], random: random)
        let commitments = SyncLevel.allCases.compactMap { keys[$0]?.commitment(group, .list) }
        #expect(Set(commitments).count == 3)
        #expect(
            SyncLevel.allCases.map { keys.limited(to: .list)[$0] != nil } == [true, false, false])
        #expect(
            SyncLevel.allCases.map { keys.limited(to: .whileUnlocked)[$0] != nil } == [
                true, true, false,
            ])
        // The same key at another level or in another group has another commitment.
        let key = try #require(keys[.list])
        #expect(key.commitment(group, .list) != key.commitment(group, .whileUnlocked))
        #expect(key.commitment(group, .list) != key.commitment(.random(from: random), .list))
    }

    @Test("a member that has no box, or another pair, opens nothing")
    func strangers() throws {
        let member = try Member(random)
        let stranger = try Member(random)
        let (statement, _) = try EpochStatement.make(
            .random(from: random), for: [member.id: member.keys], random: random)
        #expect(throws: EpochFailure.boxMissing) { try stranger.open(.list, of: statement) }
        #expect(throws: EpochFailure.boxSeal) {
            try statement.key(.list, for: member.id, with: #require(stranger.pairs[.list]).pair)
        }
        // The pair of one level does not open the box of another.
        #expect(throws: EpochFailure.boxSeal) {
            try statement.key(
                .afterVerification, for: member.id, with: #require(member.pairs[.list]).pair)
        }
    }

    @Test("a box from another statement, and a key without its commitment, are refused")
    func exchanged() throws {
        let group = GroupID.random(from: random)
        let member = try Member(random)
        let (first, _) = try EpochStatement.make(
            group, for: [member.id: member.keys], random: random)
        let (second, _) = try EpochStatement.make(
            group, for: [member.id: member.keys], random: random)
        // Header, value, three commitments, number of members, id; then the boxes.
        let boxes = 4 + 16 + 32 + 96 + 4 + 16
        var moved = first.bytes
        moved.replaceSubrange(boxes..., with: second.bytes[boxes...])
        #expect(throws: EpochFailure.boxPlace) {
            try member.open(.list, of: #require(EpochStatement(moved)))
        }
        var changed = first.bytes
        changed[52] ^= 1
        #expect(throws: EpochFailure.commitment) {
            try member.open(.list, of: #require(EpochStatement(changed)))
        }
        #expect(EpochStatement(first.bytes + [0]) == nil)
        #expect(EpochStatement(Array(first.bytes.dropLast())) == nil)
    }

    @Test("a member's public key of small order is refused")
    func smallOrder() throws {
        let none = [[UInt8]](repeating: [UInt8](repeating: 0, count: 32), count: 3)
        let keys = DeviceKeys(boxKeys: none, signingKeys: none)
        #expect(throws: EpochFailure.memberKey) {
            try EpochStatement.make(.random(from: random), for: [.zero: keys], random: random)
        }
    }

    @Test("the vectors name the keys of an epoch, or are refused", arguments: MemberVector.epochs)
    func vectors(vector: MemberVector) throws {
        let expected = try vector.text("expect")
        guard let statement = EpochStatement(try vector.bytes("statement")) else {
            #expect(expected == "malformed")
            return
        }
        let level = try #require(UInt8(vector.text("level")).flatMap(SyncLevel.init))
        let device = try #require(DeviceID(text: vector.text("device")))
        let secret = try vector.bytes("secret_key")
        let pair = BoxKeyPair(secretKey: try SecretBytes(copying: unsafe secret.span.bytes))
        do {
            let key = try statement.key(level, for: device, with: pair)
            #expect(expected == "opens")
            #expect(try statement.id == vector.bytes("id"))
            let bytes = key.key.withBytes { unsafe $0.withUnsafeBytes { unsafe [UInt8]($0) } }
            #expect(try bytes == vector.bytes("key"))
        } catch let failure as EpochFailure {
            #expect(failure.rawValue == expected)
        }
    }
}
