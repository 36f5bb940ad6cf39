import Sealing
import SecretMemory
import Sync
@testable import SyncMembers
import Testing
import TestSupport
import TextCoding

/// A file of `Tests/Vectors/Members` or `Tests/Vectors/Epochs`: the lines, by their first word.
struct MemberVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let lines: [String: [String]]

    static let epochs = TestVectors.all(in: "Epochs") { MemberVector($0, $1) }

    static func all(_ kind: String) -> [MemberVector] {
        TestVectors.all(in: "Members") { MemberVector($0, $1) }
            .filter { $0.all("kind") == [kind] }
    }

    private init(_ name: String, _ text: String) {
        testDescription = name
        lines = text.split(separator: "\n").reduce(into: [:]) { lines, line in
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            lines[parts[0], default: []].append(parts.count > 1 ? parts[1] : "")
        }
    }

    func all(_ word: String) -> [String] { lines[word] ?? [] }
    func text(_ word: String) throws -> String { try #require(lines[word]?.first) }
    func bytes(_ word: String) throws -> [UInt8] { try TestVectors.bytes(text(word)) }
    func group() throws -> GroupID { try #require(GroupID(text: text("group"))) }

    /// The secret keys of a device.
    func secrets() throws -> [LevelSecrets] {
        try all("secrets").map { digits in
            let bytes = try TestVectors.bytes(digits)
            return try #require(
                try LevelSecrets(SecretBytes(copying: unsafe bytes.span.bytes)))
        }
    }
}

/// The vectors that were made from `Docs/Sync.md` by a program of its own.
@Suite("The vectors of members")
struct MemberVectorTests {
    @Test(
        "members, epochs, keys and names follow from statements",
        arguments: MemberVector.all("group"))
    func group(vector: MemberVector) throws {
        var failures: [String] = []
        var statements: [Statement] = []
        for digits in vector.all("statement") {
            let bytes = try TestVectors.bytes(digits)
            do throws(StatementFailure) {
                statements.append(try Statement(bytes))
            } catch {
                failures.append(
                    Self.digits(Blake2b.hash(size: 32) { $0.feed(bytes) }) + " \(error.rawValue)")
            }
        }
        let state = GroupState(try vector.group(), statements)
        failures += state.invalid.map { "\($0.key.text) \($0.value.rawValue)" }
        #expect(failures.sorted() == vector.all("failure"))
        #expect(state.members.keys.map(\.text).sorted() == vector.all("member"))
        #expect(state.recoveryMembers.keys.map(\.text).sorted() == vector.all("recovery"))
        let former = state.removed.filter { $0.value.member.role == .device }
            .sorted { $0.key < $1.key }.map { id, removed in
                ([id.text]
                    + SyncChain.allCases.map { String(removed.heads[$0.id(of: id)]?.number ?? 0) })
                    .joined(separator: " ")
            }
        #expect(former == vector.all("former"))
        #expect(state.usableEpochs.map { Self.digits($0.id) } == vector.all("usable"))
        let opened = try state.openEpochs(with: vector.secrets())
        let keys = opened.keys.flatMap { keys in
            SyncLevel.allCases.compactMap { level in
                keys[level].map { key in
                    "\(Self.digits(keys.id)) \(level.rawValue) "
                        + Self.digits(
                            key.key.withBytes { unsafe $0.withUnsafeBytes { unsafe [UInt8]($0) } })
                }
            }
        }
        #expect(keys.sorted() == vector.all("key"))
        for line in vector.all("name") {
            let words = line.split(separator: " ").map(String.init)
            let name = state.name(of: try #require(DeviceID(text: words[0])), opened) ?? ""
            #expect(Array(name.utf8) == (try TestVectors.bytes(words[1])))
        }
    }

    @Test("messages give digits, or end the exchange", arguments: MemberVector.all("joining"))
    func joining(vector: MemberVector) throws {
        var found = "joins"
        do throws(JoinFailure) {
            let digits = try Self.digits(of: vector)
            #expect(digits == vector.all("digits").first)
        } catch .message {
            found = "message"
        } catch .laterVersion {
            found = "later_version"
        } catch .commitment {
            found = "commitment"
        } catch .consent {
            found = "consent"
        }
        #expect(try found == vector.text("expect"))
    }

    /// The result of a member that gets these messages, with the value that it answered.
    private static func digits(of vector: MemberVector) throws(JoinFailure) -> String {
        var messages: [JoinMessage] = []
        for digits in vector.all("message") {
            messages.append(try JoinMessage(HexBytes.bytes(of: digits) ?? []))
        }
        guard Set(messages.map(\.exchange)).count == 1, Set(messages.map(\.group)).count == 1,
            case .commitment(let commitment) = messages[0].content,
            case .answer(let keys, let create, let value) = messages[1].content,
            case .opening(let newcomer, let newcomerValue) = messages[2].content
        else { throw .message }
        guard JoinMessage.commitment(newcomer.keys, newcomerValue) == commitment else {
            throw .commitment
        }
        guard newcomer.consents(to: messages[0].group) else { throw .consent }
        let transcript = JoinTranscript(
            messages[0].group, create, newcomer: (newcomer.keys, newcomerValue),
            commitment: commitment, member: (keys, value))
        return [transcript.first, transcript.second]
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    @Test("a recovery code opens its blob", arguments: MemberVector.all("recovery"))
    func recovery(vector: MemberVector) throws {
        let typed = Array(try vector.text("code").utf8)
        let code = try RecoveryCode(typed: SecretBytes(copying: unsafe typed.span.bytes))
        let opened = try RecoveryBlob(vector.bytes("blob"))?.open(with: code)
        let parts = try opened?.all.map { part in
            Self.digits(
                try part.encoded().withBytes { unsafe $0.withUnsafeBytes { unsafe [UInt8]($0) } })
        }
        #expect(try vector.text("expect") == (parts == nil ? "nothing" : "opens"))
        #expect((parts ?? []) == vector.all("secrets"))
    }

    @Test("heads give numbers to compare", arguments: MemberVector.all("heads"))
    func heads(vector: MemberVector) throws {
        var heads: Heads = [:]
        for line in vector.all("head") {
            let words = line.split(separator: " ").map(String.init)
            heads[try #require(DeviceID(text: words[0]))] = Head(
                number: try #require(UInt64(words[1])), hash: try TestVectors.bytes(words[2]))
        }
        let numbers = HeadsCheck.numbers(
            of: heads, in: try vector.group(), count: 8,
            below: try #require(UInt64(vector.text("below"))))
        #expect(try numbers.map(String.init).joined(separator: " ") == vector.text("numbers"))
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { String(UInt16($0) + 256, radix: 16).suffix(2) }.joined()
    }
}
