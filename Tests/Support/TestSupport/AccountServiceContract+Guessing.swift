internal import Accounts
internal import Platform
internal import Sealing
internal import Synchronization
internal import Testing
internal import TextCoding

extension AccountServiceContract {
    /// Spellings of one name: usual ones, and those with which an attacker seeks another counter.
    package static let spellings = [
        "owner@example.com", "Owner@Example.COM", "OWNER@EXAMPLE.COM", " owner@example.com ",
        "\towner@example.com\r\n", "\u{A0}owner@example.com\u{3000}", "owner@example.com.",
        "\u{FF4F}\u{FF57}\u{FF4E}\u{FF45}\u{FF52}@example.com",
        "\u{FF2F}\u{FF37}\u{FF2E}\u{FF25}\u{FF32}\u{FF20}\u{FF25}xample\u{FF0E}com",
        "owner\u{FE6B}example.com", "\u{1D428}wner@example.com", "owner@e\u{2093}ample.com",
        "owner@examp\u{2113}e.\u{24D2}om", "\u{BA}wner@example.com", "owner@example\u{2024}com",
    ]

    static let nameRules: [AccountServiceContract] = [
        .init("a network has 5 guesses at a name in 15 min") { repository in
            let fixture = try AccountFixture(repository)
            for second in 0..<5 { #expect(try fixture.refusal(at: .seconds(second)) == .rejected) }
            #expect(
                try fixture.refusal(at: .seconds(4))
                    == .tooManyAttempts(retryAfter: .minutes(15) - .seconds(4)))
            let end = Duration.minutes(15)
            #expect(
                try fixture.ownersRefusal(at: end - .moment)
                    == .tooManyAttempts(retryAfter: .moment), "even with the right password")
            #expect(try fixture.refusal(at: end) == .rejected)
            #expect(
                try fixture.refusal(at: end) == .tooManyAttempts(retryAfter: .seconds(1)))
            #expect(
                fixture.hashing.verifications == 6, "nothing was verified for what was blocked")
        },
        .init("a success forgets the failures of its network, and no others") { repository in
            let fixture = try AccountFixture(repository)
            for _ in 0..<4 { #expect(try fixture.refusal() == .rejected) }
            _ = try fixture.signIn()
            for _ in 0..<5 { #expect(try fixture.refusal() == .rejected) }
            let hour = Duration.hours(1)
            let elsewhere = AccountFixture.elsewhere
            for _ in 0..<4 {
                #expect(try fixture.refusal(from: elsewhere, at: hour) == .rejected)
            }
            _ = try fixture.signIn(at: hour)
            #expect(try fixture.refusal(from: elsewhere, at: hour) == .rejected)
            #expect(
                try fixture.refusal(from: elsewhere, at: hour)
                    == .tooManyAttempts(retryAfter: .minutes(15)))
        },
        .init("names without an account are limited like others") { repository in
            let fixture = try AccountFixture(repository)
            for _ in 0..<5 { #expect(try fixture.refusal("nobody@example.com") == .rejected) }
            let blocked = AccountError.tooManyAttempts(retryAfter: .minutes(15))
            #expect(try fixture.refusal("nobody@example.com") == blocked)
            #expect(try fixture.refusal("somebody@example.com") == .rejected)
        },
        .init("every spelling of a name has the same counter") { repository in
            let fixture = try AccountFixture(repository) { $0.guessing.networkAttempts = 0 }
            let key = fixture.pseudonyms.key(of: try AccountFixture.name())
            for (number, spelling) in spellings.enumerated() {
                #expect(
                    try fixture.pseudonyms.key(of: AccountFixture.name(spelling)) == key,
                    "\(spelling)")
                let expected: AccountError =
                    number < 5 ? .rejected : .tooManyAttempts(retryAfter: .minutes(15))
                #expect(try fixture.refusal(spelling) == expected, "\(spelling)")
            }
        },
        .init("a clock that was set back does not hold up the right password") { repository in
            for step in [Duration.minutes(2), .minutes(10), .hours(1), .days(3_000)] {
                let fixture = try AccountFixture(sharing: repository)
                if try fixture.owner() == nil { _ = try AccountFixture(repository) }
                // 19 guesses of others, and 4 of the owner's network.
                for number in 0..<15 {
                    _ = try fixture.refusal(from: "network \(number % 4)", at: step)
                }
                for _ in 0..<4 { _ = try fixture.refusal(at: step) }
                #expect(try fixture.ownersRefusal(at: .zero) == nil, "\(step)")
                #expect(try fixture.ownersRefusal(from: "network 9", at: .zero) == nil, "\(step)")
                try fixture.administration.resetPassword(
                    of: AccountFixture.name(),
                    to: AccountFixture.password(AccountFixture.ownersPassword),
                    at: AccountFixture.start)
            }
        },
        .init("servers with clocks a little apart count each other's guesses") { repository in
            let fixture = try AccountFixture(repository) { $0.guessing.networkAttempts = 0 }
            for _ in 0..<5 { #expect(try fixture.refusal(at: .seconds(60)) == .rejected) }
            #expect(
                try fixture.refusal(at: .zero) == .tooManyAttempts(retryAfter: .minutes(16)))
        },
        .init("several guesses at an account's name are noted once") { repository in
            let fixture = try AccountFixture(repository)
            func noted() throws -> [AuditEvent] {
                try repository.read { try $0.auditEvents(of: nil, limit: 100) }
                    .filter { $0.action == .guessed }
            }
            for _ in 0..<4 { _ = try fixture.refusal(from: "198.51.100.0/24") }
            // The fifth password is right: that was the owner.
            _ = try fixture.signIn(from: "198.51.100.0/24")
            #expect(try noted().isEmpty)
            for second in 0..<9 {
                _ = try fixture.refusal(from: "198.51.100.0/24", at: .seconds(second))
                _ = try fixture.refusal("nobody@example.com", at: .seconds(second))
            }
            let events = try noted()
            #expect(events.count == 1)
            #expect(events.first?.subject == (try fixture.owner()?.id))
            #expect(events.first?.network == "198.51.100.0/24")
        },
        .init("a reset code gets its owner in while others guess, once") { repository in
            let fixture = try AccountFixture(repository)
            let code = try fixture.administration.makeResetCode(
                for: AccountFixture.name(), at: AccountFixture.start
            ).code
            func guess(at second: Int) throws {
                for number in 0..<30 {
                    _ = try fixture.refusal(from: "network \(number)", at: .seconds(second))
                }
            }
            try guess(at: 0)
            _ = try fixture.service.beginReset(
                AccountFixture.name(), code: code, new: AccountFixture.typed("a new password"),
                at: AccountFixture.time(.seconds(1))
            ).finish(at: AccountFixture.time(.seconds(1)))
            try guess(at: 2)
            func signIn(_ token: String?) throws -> PasswordWork<IssuedTokens> {
                try fixture.beginSignIn(
                    AccountFixture.ownersName, "a new password", from: "new network",
                    device: token, at: .seconds(3))
            }
            #expect(throws: AccountError.self) { _ = try signIn(nil) }
            let work = try signIn(code)
            #expect(work.known != nil, "a place beside strangers")
            let issued = try work.finish(at: AccountFixture.time(.seconds(3)))
            // The device is known by a token of its own now, and the code is worth nothing.
            let device = try #require(issued.device)
            #expect(throws: AccountError.self) { _ = try signIn(code) }
            #expect(try signIn(device).finish(at: AccountFixture.time(.seconds(4))).device == nil)
        },
        .init("0 free failures switch the limit of names off") { repository in
            let fixture = try AccountFixture(repository) {
                $0.guessing.freeFailures = 0
                $0.guessing.networkAttempts = 0
            }
            for _ in 0..<100 { #expect(try fixture.refusal() == .rejected) }
            _ = try fixture.signIn()
            #expect(try repository.change { try $0.countAttempts() } == 0)
        },
        .init("of many names with guesses none is forgotten before its time") { repository in
            let fixture = try AccountFixture(repository) {
                $0.guessing.maximumKeys = 50
                $0.guessing.networkAttempts = 0
            }
            for _ in 0..<5 { #expect(try fixture.refusal() == .rejected) }
            for number in 0..<1_000 {
                _ = try fixture.refusal("a\(number)@example.com", from: "network \(number)")
            }
            let late = Duration.minutes(15) - .moment
            #expect(try fixture.refusal(at: late) == .tooManyAttempts(retryAfter: .moment))
            // The last name shares a counter, in which its guesses stay as well.
            for _ in 0..<4 {
                _ = try fixture.refusal("a999@example.com", from: "network 999")
            }
            #expect(
                try fixture.refusal("a999@example.com", from: "network 999", at: late)
                    != .rejected)
            #expect(try repository.change { try $0.countAttempts() } <= 50 + 1_024)
            #expect(try fixture.refusal("new@example.com", at: .minutes(15)) == .rejected)
            #expect(try repository.change { try $0.countAttempts() } == 1, "the others expired")
        },
    ]

    static let deviceRules: [AccountServiceContract] = [
        .init("a known device signs in 50 of 50 times while others guess, also in its network") {
            repository in
            let fixture = try AccountFixture(repository)
            let device = try #require(try fixture.signIn().device)
            for number in 0..<50 {
                let now = Duration.seconds(number)
                for network in [AccountFixture.home, AccountFixture.elsewhere] {
                    for _ in 0..<4 { _ = try fixture.refusal(from: network, at: now) }
                }
                #expect(try fixture.ownersRefusal(at: now) != nil, "control: without the token")
                let tokens = try fixture.signIn(device: device, at: now)
                #expect(tokens.device == nil, "the token stays")
            }
        },
        .init("guesses of a known device block that device only") { repository in
            let fixture = try AccountFixture(repository)
            let device = try #require(try fixture.signIn().device)
            let other = try #require(try fixture.signIn().device)
            for _ in 0..<5 { #expect(try fixture.refusal(device: device) == .rejected) }
            #expect(
                try fixture.ownersRefusal(device: device)
                    == .tooManyAttempts(retryAfter: .minutes(15)))
            #expect(try fixture.ownersRefusal(device: other) == nil)
            #expect(try fixture.ownersRefusal() == nil)
        },
        .init("a device is known to the account of its token only") { repository in
            let fixture = try AccountFixture(repository)
            let device = try #require(try fixture.signIn().device)
            let hash = try fixture.hashing.hash(
                AccountFixture.password(AccountFixture.ownersPassword), cost: AccountFixture.cost)
            try repository.change { writer in
                try writer.insert(
                    Account(
                        email: try AccountFixture.name("other@example.com"), password: hash,
                        created: AccountFixture.start))
            }
            let name = "other@example.com"
            for _ in 0..<5 { #expect(try fixture.refusal(name, device: device) == .rejected) }
            #expect(
                try fixture.refusal(name, device: device)
                    == .tooManyAttempts(retryAfter: .minutes(15)))
            // They were counted for the name, not for the device.
            #expect(try fixture.guesses(name) == 5)
            for token in ["tvd_", device + "A", "tvr_" + device.dropFirst(4), ""] {
                #expect(try fixture.refusal(from: "n", device: token) == .rejected)
            }
            #expect(try fixture.guesses() == 4)
        },
        .init("a device is known for 180 days after its last sign-in") { repository in
            let fixture = try AccountFixture(repository)
            let device = try #require(try fixture.signIn().device)
            #expect(try fixture.signIn(device: device, at: .days(10)).device == nil)
            let end = Duration.days(190)
            let elsewhere = AccountFixture.elsewhere
            for _ in 0..<5 { #expect(try fixture.refusal(from: elsewhere, at: end) == .rejected) }
            #expect(
                try fixture.ownersRefusal(from: elsewhere, device: device, at: end - .moment) == nil
            )
            let late = Duration.days(370)
            for _ in 0..<5 { #expect(try fixture.refusal(from: elsewhere, at: late) == .rejected) }
            #expect(
                try fixture.ownersRefusal(from: elsewhere, device: device, at: late)
                    == .tooManyAttempts(retryAfter: .minutes(15)))
        },
        .init("an account knows its 16 devices used last, whatever clients without tokens do") {
            repository in
            let fixture = try AccountFixture(repository)
            var devices: [String] = []
            for number in 0..<17 {
                let token = try #require(try fixture.signIn(at: .seconds(number)).device)
                _ = try fixture.signIn(device: token, at: .seconds(number))
                devices.append(token)
            }
            // A client that does not send its token.
            for number in 0..<40 { _ = try fixture.signIn(at: .seconds(20 + number)) }
            let isKnown = try repository.read { transaction in
                try devices.map { try transaction.knownDevice(TokenHash(of: $0)) != nil }
            }
            #expect(isKnown == [false] + Array(repeating: true, count: 16))
            let owner = try #require(try fixture.owner())
            #expect(try repository.read { try $0.knownDevices(of: owner.id) }.count == 32)
        },
        .init("0 devices give no token") { repository in
            let fixture = try AccountFixture(repository) { $0.guessing.maximumKnownDevices = 0 }
            #expect(try fixture.signIn().device == nil)
        },
    ]

    static let networkRules: [AccountServiceContract] = [
        .init("a network has 15 attempts at once, then one every 4 s if it waits for them") {
            repository in
            let fixture = try AccountFixture(repository)
            for number in 0..<15 {
                #expect(try fixture.refusal("a\(number)@example.com") == .rejected)
            }
            #expect(
                try fixture.refusal("b@example.com") == .tooManyAttempts(retryAfter: .seconds(8)))
            #expect(try fixture.refusal("b@example.com", at: .seconds(8)) == .rejected)
            #expect(
                try fixture.refusal("c@example.com", from: AccountFixture.elsewhere) == .rejected)
            for number in 0..<15 {
                #expect(try fixture.refusal("d\(number)@example.com", at: .minutes(2)) == .rejected)
            }
        },
        .init("a network that is refused and goes on is refused on, until 2 min after its end") {
            repository in
            let fixture = try AccountFixture(repository)
            for number in 0..<15 {
                #expect(try fixture.refusal("a\(number)@example.com") == .rejected)
            }
            for second in 0..<600 {
                #expect(try fixture.refusal("b@example.com", at: .seconds(second)) != .rejected)
            }
            #expect(fixture.hashing.verifications == 15)
            #expect(try fixture.refusal("b@example.com", at: .seconds(599 + 120)) == .rejected)
        },
        .init("a refusal because of the name counts against the network") { repository in
            let fixture = try AccountFixture(repository)
            for _ in 0..<5 { #expect(try fixture.refusal() == .rejected) }
            let blocked = AccountError.tooManyAttempts(retryAfter: .minutes(15))
            for _ in 0..<10 { #expect(try fixture.refusal() == blocked) }
            #expect(
                try fixture.refusal("other@example.com")
                    == .tooManyAttempts(retryAfter: .seconds(8)))
        },
        .init("a success does not count for its network") { repository in
            let fixture = try AccountFixture(repository)
            for _ in 0..<40 { _ = try fixture.signIn() }
            for number in 0..<15 {
                #expect(try fixture.refusal("a\(number)@example.com") == .rejected)
            }
            #expect(
                try fixture.refusal("b@example.com") == .tooManyAttempts(retryAfter: .seconds(8)))
        },
        .init("a clock that was set back blocks a network for two minutes at most") {
            repository in
            let fixture = try AccountFixture(repository)
            for number in 0..<40 {
                _ = try fixture.refusal("a\(number)@example.com", at: .days(3_000))
            }
            #expect(try fixture.refusal("b@example.com", at: .zero) != .rejected)
            #expect(try fixture.refusal("b@example.com", at: .minutes(2)) == .rejected)
        },
        .init("0 attempts switch the limit of networks off") { repository in
            let fixture = try AccountFixture(repository) { $0.guessing.networkAttempts = 0 }
            for number in 0..<40 {
                #expect(try fixture.refusal("a\(number)@example.com") == .rejected)
            }
        },
        .init("the refusal of a network reveals nothing about the name") { repository in
            let fixture = try AccountFixture(repository)
            for _ in 0..<5 {
                #expect(try fixture.refusal(from: AccountFixture.elsewhere) == .rejected)
            }
            for number in 0..<15 {
                #expect(
                    try fixture.refusal("nobody\(number)@example.com", from: "203.0.113.5")
                        == .rejected)
            }
            #expect(
                try fixture.refusal(from: "203.0.113.5")
                    == .tooManyAttempts(retryAfter: .seconds(8)))
        },
    ]

    static let attackRules: [AccountServiceContract] = [
        .init("20 guesses at a name in any 15 min from all networks, 5 of them from one") {
            repository in
            let fixture = try AccountFixture(repository)
            var random = SeededGenerator()
            var guesses: [(time: Duration, network: UInt64)] = []
            for second in stride(from: 0, to: 3_600, by: 3) {
                let network = random.next() % 60
                let time = Duration.seconds(second)
                if try fixture.refusal(from: "network \(network)", at: time) == .rejected {
                    guesses.append((time, network))
                }
            }
            for first in guesses {
                let window = guesses.filter {
                    $0.time >= first.time && $0.time < first.time + .minutes(15)
                }
                #expect(window.count <= 20, "seed \(random.seed)")
                #expect(window.count { $0.network == first.network } <= 5, "seed \(random.seed)")
            }
            #expect(guesses.count >= 60, "the limit is not a lock; seed \(random.seed)")
            #expect(fixture.hashing.verifications == guesses.count)
        },
        .init("an owner in a new network signs in at once while one network polls") { repository in
            let fixture = try AccountFixture(repository)
            for second in 0..<1_800 {
                let now = Duration.seconds(second)
                for _ in 0..<3 { _ = try fixture.refusal(from: AccountFixture.elsewhere, at: now) }
                guard second.isMultiple(of: 60) else { continue }
                #expect(
                    try fixture.ownersRefusal(from: "network \(second)", at: now) == nil,
                    "within 60 s")
            }
        },
        .init("four networks that guess leave room for one that did not") { repository in
            let fixture = try AccountFixture(repository)
            for second in 0..<1_800 {
                let now = Duration.seconds(second)
                _ = try fixture.refusal(from: "attacker \(second % 4)", at: now)
                guard second.isMultiple(of: 20) else { continue }
                #expect(
                    try fixture.ownersRefusal(from: "network \(second)", at: now) == nil,
                    "at \(second) s")
            }
        },
        .init("a network gets at most 30 guesses in any minute") { repository in
            let fixture = try AccountFixture(repository)
            var random = SeededGenerator()
            var times: [Duration] = []
            var now = Duration.zero
            while now < .minutes(5) {
                if try fixture.refusal("a\(random.next())@example.com", at: now) == .rejected {
                    times.append(now)
                }
                now += .milliseconds(Int(random.next() % 1_000))
            }
            for start in times {
                let minute = times.count { $0 >= start && $0 < start + .minutes(1) }
                #expect(minute <= 30, "seed \(random.seed)")
            }
            #expect(times.count >= 15)
            #expect(fixture.hashing.verifications == times.count)
        },
        .init("concurrent wrong passwords cannot pass together") { repository in
            let fixture = try AccountFixture(repository)
            await onThreads(8) { thread in
                for number in 0..<4 {
                    let network = "192.0.2.\(thread * 4 + number)"
                    #expect(throws: Never.self) { _ = try fixture.refusal(from: network) }
                    #expect(throws: Never.self) { _ = try fixture.refusal(from: "one") }
                }
            }
            #expect(fixture.hashing.verifications <= 20)
            #expect(try fixture.guesses() == fixture.hashing.verifications)
            let own = fixture.pseudonyms.origin("one")
            let key = fixture.pseudonyms.key(of: try AccountFixture.name())
            let stored = try repository.read { try $0.attempts(key) }?.guesses ?? []
            #expect(stored.count { $0.origin == own } <= 5)
        },
        .init("concurrent attempts of one network cannot pass together") { repository in
            let fixture = try AccountFixture(repository)
            let begun = Mutex(0)
            await onThreads(8) { thread in
                for number in 0..<4 {
                    let name = "a\(thread * 4 + number)@example.com"
                    if (try? fixture.beginSignIn(name)) != nil { begun.withLock { $0 += 1 } }
                }
            }
            #expect(begun.withLock { $0 } == 15)
        },
        .init("twelve right passwords at once succeed, from a known device or a new network") {
            repository in
            let fixture = try AccountFixture(repository)
            let device = try #require(try fixture.signIn().device)
            for (number, device) in [device, nil].enumerated() {
                // All are under way before the first one ends.
                let hashing = MeetingHashing(hashing: fixture.hashing, participants: 5)
                let service = try AccountService(
                    repository: repository, rules: fixture.rules, pseudonyms: fixture.pseudonyms,
                    hashing: hashing)
                hashing.begin()
                let outcomes = Monitor<[AccountError?]>([])
                for _ in 0..<12 {
                    let isStarted = DetachedThread.start {
                        var refusal: AccountError?
                        do {
                            let work = try service.beginSignIn(
                                AccountFixture.name(),
                                AccountFixture.typed(AccountFixture.ownersPassword),
                                client: AccountFixture.client, SignInOrigin(token: device),
                                from: ["new network \(number)"], at: AccountFixture.start)
                            _ = try work.finish(at: AccountFixture.start)
                        } catch let error as AccountError {
                            refusal = error
                        } catch {
                            Issue.record(error)
                        }
                        outcomes.update { [refusal] in $0.append(refusal) }
                    }
                    try #require(isStarted)
                }
                let all = outcomes.wait(until: .now + .seconds(120)) {
                    $0.count == 12 ? $0 : nil
                }
                #expect(all == Array(repeating: nil, count: 12))
                #expect(try fixture.guesses() == 0, "all were released")
            }
        },
    ]
}

/// Hashing in which the first verifications wait for one another.
private final class MeetingHashing: PasswordHashing {
    private let hashing: any PasswordHashing
    private let participants: Int
    private let present = Monitor<Int?>(nil)

    init(hashing: any PasswordHashing, participants: Int) {
        self.hashing = hashing
        self.participants = participants
    }

    func begin() { present.update { $0 = 0 } }

    func hash(
        _ password: borrowing AccountPassword, cost: KeyDerivationCost
    ) throws -> PasswordHash {
        try hashing.hash(password, cost: cost)
    }

    func matches(_ password: borrowing AccountPassword, _ hash: PasswordHash) throws -> Bool {
        present.update { $0 = $0.map { $0 + 1 } }
        _ = present.wait(until: .now + .seconds(120)) { count -> Void? in
            (count ?? .max) >= participants ? () : nil
        }
        return try hashing.matches(password, hash)
    }
}
