import Sealing
import SecretMemory
import Sync
@testable import SyncMembers
import Testing
import TestSupport

@Suite("Joining")
struct JoiningTests {
    private let member: TestHome
    private let newcomer: TestHome
    private let random: RandomSource

    init() throws {
        random = .seeded(20)
        member = try TestHome(random)
        try member.create()
        newcomer = try TestHome(random)
    }

    private func joining(_ home: TestHome? = nil, group: GroupID? = nil) -> JoiningDevice {
        JoiningDevice(group ?? member.group, (home ?? newcomer).secrets, random: random)
    }

    private func approving() throws -> ApprovingMember {
        try ApprovingMember(member.state, member.id)
    }

    /// Both sides of an exchange in which each message is read from its bytes.
    private func exchange() throws -> (JoiningDevice, ApprovingMember) {
        var device = joining()
        var approving = try approving()
        var attempts = JoinAttempts()
        let answer = try approving.receive(
            JoinMessage(device.commitment.bytes), &attempts, now: 0, random: random)
        var own = JoinAttempts()
        let opening = try device.receive(JoinMessage(answer.bytes), &own, now: 0)
        try approving.receive(JoinMessage(opening.bytes))
        return (device, approving)
    }

    @Test("six digits here and six there, and the new device is a member")
    func join() throws {
        var (device, approving) = try exchange()
        let first = try #require(device.digits)
        #expect(first.count == 6 && first.allSatisfy(\.isNumber))
        let (added, second) = try approving.confirm(first)
        #expect(added.keys == newcomer.secrets.keys)
        let confirmed = try device.confirm("\(second.prefix(3)) \(second.suffix(3))")
        #expect(confirmed.member == member.id)
        #expect(throws: GroupError.noMember(newcomer.id)) {
            try confirmed.state(of: member.known)
        }
        let heads: Heads = [member.id: Head(number: 3, hash: Head.noHash)]
        try member.write { try $0.add(added, name: "laptop", heads: heads) }
        let state = try confirmed.state(of: member.known)
        #expect(state.members[newcomer.id]?.heads == heads)
        #expect(try state.openEpochs(with: newcomer.secrets.all).sealing != nil)
    }

    @Test("each step is done once, in its order")
    func steps() throws {
        var (device, approving) = try exchange()
        var attempts = JoinAttempts()
        let commitment = device.commitment
        #expect(throws: JoinFailure.step) {
            try approving.receive(commitment, &attempts, now: 0, random: random)
        }
        #expect(throws: JoinFailure.step) { try approving.receive(commitment) }
        #expect(throws: JoinFailure.step) { try device.receive(commitment, &attempts, now: 0) }
        #expect(attempts == JoinAttempts())
        var unopened = joining()
        #expect(unopened.digits == nil)
        #expect(throws: JoinFailure.step) { try unopened.confirm("000000") }
        var unanswered = try self.approving()
        #expect(throws: JoinFailure.step) { try unanswered.confirm("000000") }
        // A second exchange of the same member, while one is under way, needs a value of its own.
        #expect(throws: JoinFailure.step) { try unanswered.receive(commitment) }
    }

    @Test("the member's digits are not known before those of the new device were right")
    func wrongDigits() throws {
        var (device, approving) = try exchange()
        let first = try #require(device.digits)
        let wrong = first == "000000" ? "000001" : "000000"
        #expect(throws: JoinFailure.digits) { try approving.confirm(wrong) }
        // It does not start again by itself: the right digits are too late.
        #expect(throws: JoinFailure.step) { try approving.confirm(first) }
        #expect(throws: JoinFailure.digits) { try device.confirm(wrong) }
        #expect(throws: JoinFailure.step) { try device.confirm(wrong) }
        for typed in ["", "0", first + "0", String(first.dropLast())] {
            var (device, approving) = try exchange()
            #expect(throws: JoinFailure.digits) { try approving.confirm(typed) }
            #expect(throws: JoinFailure.digits) { try device.confirm(typed) }
        }
    }

    @Test("three attempts in an hour on each side, also when the clock goes back")
    func attempts() throws {
        var attempts = JoinAttempts()
        for minute in 0..<3 { try attempts.count(at: Int64(minute) * 60_000) }
        #expect(JoinAttempts(attempts.bytes) == attempts)
        #expect(JoinAttempts(attempts.bytes + [0]) == nil)
        for now in [180_000, 3_599_999, 0] as [Int64] {
            var later = attempts
            #expect(throws: JoinFailure.self) { try later.count(at: now) }
        }
        #expect(throws: JoinFailure.tooManyAttempts(until: 3_600_000)) {
            try attempts.count(at: 200_000)
        }
        try attempts.count(at: 3_600_000)
        #expect(throws: JoinFailure.tooManyAttempts(until: 3_660_000)) {
            try attempts.count(at: 3_600_001)
        }
        // The clock was in the year 2038, and went back: an hour from now, not years.
        var ahead = JoinAttempts()
        for _ in 0..<3 { try ahead.count(at: 2_147_483_648_000) }
        #expect(throws: JoinFailure.tooManyAttempts(until: 3_600_005)) { try ahead.count(at: 5) }
        try ahead.count(at: 3_600_005)
    }

    @Test("of very many silent tries, three get an answer, and none the digits")
    func silentTries() throws {
        let attacker = try TestHome(random)
        var attempts = JoinAttempts()
        var answers = 0
        let tries = 20_000
        let state = member.state
        for index in 0..<tries {
            let device = joining(attacker)
            var approving = try ApprovingMember(state, member.id)
            // All within one hour.
            let now = Int64(index) * 3_600_000 / Int64(tries)
            guard
                (try? approving.receive(device.commitment, &attempts, now: now, random: random))
                    != nil
            else { continue }
            answers += 1
        }
        #expect(answers == JoinAttempts.limit)
        // The new device counts, too: an attacker as the member gets three openings.
        var own = JoinAttempts()
        var openings = 0
        for _ in 0..<100 {
            var device = joining()
            let answer = JoinMessage(
                member.group, device.commitment.exchange,
                .answer(
                    attacker.secrets.keys, create: try #require(member.state.create),
                    value: random.bytes(count: 32)))
            if (try? device.receive(answer, &own, now: 1)) != nil { openings += 1 }
        }
        #expect(openings == JoinAttempts.limit)
    }

    @Test("a mailbox in the middle of two exchanges: the digits differ, on both sides")
    func middle() throws {
        let attacker = try TestHome(random)
        let create = try #require(member.state.create)
        var firstEqual = 0
        var secondEqual = 0
        for _ in 0..<500 {
            var device = joining()
            var attempts = JoinAttempts()
            var own = JoinAttempts()
            var approving = try approving()
            // The attacker begins an exchange with the member as the new device …
            var intruder = joining(attacker)
            let answer = try approving.receive(
                intruder.commitment, &attempts, now: 0, random: random)
            var none = JoinAttempts()
            try approving.receive(intruder.receive(answer, &none, now: 0))
            // … and answers the new device as the member, after it knows the digits there.
            guard case .answer(_, _, let value) = answer.content else { return }
            let answerOfIntruder = JoinMessage(
                member.group, device.commitment.exchange,
                .answer(attacker.secrets.keys, create: create, value: value))
            _ = try device.receive(answerOfIntruder, &own, now: 0)
            let shown = try #require(device.digits)
            if shown == intruder.digits { firstEqual += 1 }
            // The person types what the new device shows: the member refuses, and shows nothing.
            var result: (newcomer: Newcomer, digits: String)?
            #expect(throws: JoinFailure.digits) { result = try approving.confirm(shown) }
            #expect(result == nil)
            // Digits that were read out for the other exchange do not help here.
            var other = intruder
            if (try? other.confirm(shown)) != nil { secondEqual += 1 }
        }
        #expect(firstEqual == 0)
        #expect(secondEqual == 0)
    }

    @Test("the digits of one side say nothing about those of the other")
    func oneSide() throws {
        for _ in 0..<200 {
            var (device, approving) = try exchange()
            let first = try #require(device.digits)
            var copy = device
            // The victim read out what the new device shows: it is no answer for the new device.
            #expect(throws: JoinFailure.digits) { try copy.confirm(first) }
            let (_, second) = try approving.confirm(first)
            #expect(throws: Never.self) { try device.confirm(second) }
        }
    }

    @Test("an opening that was chosen after the answer does not fit the commitment")
    func chosenOpening() throws {
        let attacker = try TestHome(random)
        var approving = try approving()
        var attempts = JoinAttempts()
        let device = joining(attacker)
        _ = try approving.receive(device.commitment, &attempts, now: 0, random: random)
        let newcomers = [
            Newcomer(attacker.secrets, as: .device, to: member.group),
            Newcomer(newcomer.secrets, as: .device, to: member.group),
        ]
        for newcomer in newcomers {
            var copy = approving
            let opening = JoinMessage(
                member.group, device.commitment.exchange,
                .opening(newcomer, value: random.bytes(count: 32)))
            #expect(throws: JoinFailure.commitment) { try copy.receive(opening) }
            #expect(throws: JoinFailure.step) { try copy.confirm("000000") }
        }
        #expect(throws: JoinFailure.step) { try approving.confirm("000000") }
    }

    @Test("messages of another exchange, of another group and of another kind are refused")
    func replayed() throws {
        var (device, approving) = try exchange()
        var attempts = JoinAttempts()
        _ = (device, approving)
        // The answer and the opening of an earlier exchange, in a new one.
        let earlier = joining()
        var old = try self.approving()
        let answer = try old.receive(earlier.commitment, &attempts, now: 0, random: random)
        var copy = earlier
        let opening = try copy.receive(answer, &attempts, now: 0)
        var next = joining()
        #expect(throws: JoinFailure.message) { try next.receive(answer, &attempts, now: 0) }
        #expect(next.digits == nil)
        device = joining()
        approving = try self.approving()
        attempts = JoinAttempts()
        _ = try approving.receive(device.commitment, &attempts, now: 0, random: random)
        #expect(throws: JoinFailure.message) { try approving.receive(opening) }
        // Another group.
        approving = try self.approving()
        let foreign = joining(group: .random(from: random))
        #expect(throws: JoinFailure.message) {
            try approving.receive(foreign.commitment, &attempts, now: 0, random: random)
        }
        // A message that is not the next one.
        #expect(throws: JoinFailure.message) {
            try approving.receive(answer, &attempts, now: 0, random: random)
        }
        device = joining()
        let commitment = device.commitment
        #expect(throws: JoinFailure.message) { try device.receive(commitment, &attempts, now: 0) }
    }

    @Test("each byte of each message is part of the digits, or the message is refused")
    func changedMessages() throws {
        var attempts = JoinAttempts()
        let device = joining()
        var approving = try approving()
        let answer = try approving.receive(device.commitment, &attempts, now: 0, random: random)
        var opener = device
        let opening = try opener.receive(answer, &attempts, now: 0)
        let digits = try #require(opener.digits)
        func changed(_ message: JoinMessage) -> [JoinMessage] {
            message.bytes.indices.compactMap { index in
                var bytes = message.bytes
                bytes[index] ^= 1
                return try? JoinMessage(bytes)
            }
        }
        for message in changed(answer) {
            var device = device
            var attempts = JoinAttempts()
            guard (try? device.receive(message, &attempts, now: 0)) != nil else { continue }
            #expect(device.digits != digits)
        }
        #expect(!changed(opening).isEmpty)
        for message in changed(opening) {
            var approving = approving
            #expect(throws: JoinFailure.self) { try approving.receive(message) }
        }
        for message in [device.commitment, answer, opening] {
            #expect(throws: JoinFailure.message) { try JoinMessage(message.bytes + [0]) }
            #expect(throws: JoinFailure.message) { try JoinMessage(message.bytes.dropLast()) }
            var later = message.bytes
            later[4] = 2
            #expect(throws: JoinFailure.laterVersion) { try JoinMessage(later) }
            #expect(message.bytes.count <= JoinMessage.limit)
        }
    }

    @Test("every key and value is part of the digits, also those that the mailbox learns last")
    func transcript() throws {
        let create = try #require(member.state.create)
        let values = (0..<3).map { _ in random.bytes(count: 32) }
        let keys = [newcomer.secrets.keys, member.secrets.keys]
        func digits(changing index: Int) throws -> JoinTranscript {
            let other = try DeviceSecrets.random(from: random).keys
            let value = random.bytes(count: 32)
            return JoinTranscript(
                index == 1 ? .random(from: random) : member.group,
                index == 2 ? StatementID(unchecked: value) : create,
                newcomer: (index == 3 ? other : keys[0], index == 4 ? value : values[0]),
                commitment: index == 5 ? value : values[1],
                member: (index == 6 ? other : keys[1], index == 7 ? value : values[2]))
        }
        let own = try digits(changing: 0)
        #expect(try digits(changing: 0).first == own.first)
        #expect(own.first != own.second)
        for index in 1...7 {
            let changed = try digits(changing: index)
            #expect(changed.first != own.first, "input \(index)")
            #expect(changed.second != own.second, "input \(index)")
        }
    }

    @Test("keys of small order are no message")
    func smallOrder() throws {
        var attempts = JoinAttempts()
        var device = joining()
        var approving = try approving()
        let answer = try approving.receive(device.commitment, &attempts, now: 0, random: random)
        let opening = try device.receive(answer, &attempts, now: 0)
        // Magic, version, group, exchange and number, then the keys, after the role in an opening.
        for (message, start) in [(answer, 41), (opening, 42)] {
            for level in 0..<3 {
                var bytes = message.bytes
                let key = start + 32 * level
                bytes.replaceSubrange(key..<(key + 32), with: [UInt8](repeating: 0, count: 32))
                #expect(throws: JoinFailure.message) { try JoinMessage(bytes) }
            }
        }
    }

    @Test("a group that is not the confirmed one is refused, also with a member of the same id")
    func otherGroup() throws {
        var (device, approving) = try exchange()
        let (added, second) = try approving.confirm(#require(device.digits))
        let confirmed = try device.confirm(second)
        try member.write { try $0.add(added) }
        let other = try TestHome(random)
        try other.create()
        #expect(throws: GroupError.otherGroup) { try confirmed.state(of: other.known) }
        #expect(throws: GroupError.otherGroup) { try confirmed.state(of: []) }
        #expect(throws: Never.self) { try confirmed.state(of: member.known.union(other.known)) }
        // A remote that hides a remove of the member is not noticed here; one that shows it is.
        try member.remove(member.id)
        #expect(throws: GroupError.noMember(member.id)) { try confirmed.state(of: member.known) }
    }

    @Test("one who is no member approves no device")
    func strangerApproves() throws {
        #expect(throws: GroupError.noMember(newcomer.id)) {
            try ApprovingMember(member.state, newcomer.id)
        }
    }
}
