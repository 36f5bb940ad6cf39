import SecureStorage
import SignIn
import Testing
import TestSupport
import TextCoding

/// Two machines with one vault sign in and change the password, while the vault, the server and the connection fail at random.
@Suite("A random history")
struct RandomHistoryTests {
    private static let lost = SignInError.unreachable(detail: "", mayHaveArrived: true)

    /// A change that the client gave up and the server may still make.
    private struct Late {
        let from: String
        let to: String
        let deadline: Int64
    }

    private struct History {
        let place: TestPlace
        var generator: SeededGenerator
        var late: Late?
        var number = 0

        mutating func chance(_ part: Int, of whole: Int) -> Bool {
            Int.random(in: 0..<whole, using: &generator) < part
        }

        /// The vault, or one that fails after a few writes.
        mutating func store() -> (any SecureStore)? {
            chance(1, of: 3)
                ? FailingStore(
                    place.store, writes: Int.random(in: 0...6, using: &generator),
                    chance(1, of: 2)
                        ? .locked : .unavailable(.failed, detail: "the process has ended"))
                : nil
        }

        mutating func step() throws {
            let machine = chance(1, of: 2) ? "first" : "second"
            settleLate()
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5: try start(machine)
            case 5..<8: try change(machine)
            default:
                place.clock.advance(by: .seconds(Int64.random(in: 0...100, using: &generator)))
                if let late, place.clock.now.seconds >= late.deadline { self.late = nil }
            }
        }

        private mutating func settleLate() {
            guard let late, chance(1, of: 3) else { return }
            if place.server.password == late.from { place.server.change(to: late.to) }
            self.late = nil
        }

        private mutating func start(_ machine: String) throws {
            let store = store()
            let call: TestAuthServer.Call = chance(1, of: 2) ? .refresh : .signIn
            let isLost = chance(1, of: 4)
            if isLost { place.server.fail(call, chance(1, of: 2) ? .before(lost) : .after(lost)) }
            let failed = place.server.counters.failedAttempts
            do {
                let outcome = try place.start(on: machine, store)
                #expect(outcome == .signedIn || isLost && outcome == .noVerdict(lost))
            } catch {
                #expect(store != nil)
            }
            place.server.failNothing()
            #expect(place.server.counters.failedAttempts <= failed + 1)
        }

        private mutating func change(_ machine: String) throws {
            number += 1
            let from = place.server.password
            let to = chance(1, of: 3) ? "retry" : "password-\(number)"
            guard from != to else { return }
            let answer = Int.random(in: 0..<5, using: &generator)
            switch answer {
            case 0: place.server.fail(.changePassword, .after(lost))
            case 1, 2: place.server.fail(.changePassword, .before(lost))
            case 3:
                place.server.fail(
                    .changePassword, .before(SignInError.refused(.newPassword(detail: ""))))
            default: break
            }
            let store = store()
            let outcome = try? place.changePassword(on: machine, store, to: to)
            if answer == 1, place.server.didFail(.changePassword) {
                let deadline = place.clock.now.advanced(by: CredentialCache.changeTime).seconds
                late = Late(from: from, to: to, deadline: deadline)
            }
            place.server.failNothing()
            if outcome == .changed { #expect(place.server.password == to) }
        }

        private var lost: SignInError { RandomHistoryTests.lost }
    }

    @Test("of crashes, lost answers and late changes ends with the valid password")
    func random() throws {
        for seed in 0..<60 {
            try TestPlace.run { (place) throws in
                try place.start(typing: ["first"])
                try place.start(on: "second")
                var history = History(
                    place: place, generator: SeededGenerator(seed: UInt64(seed)))
                for _ in 0..<30 { try history.step() }
                place.clock.advance(by: CredentialCache.foreignChangeTime)
                #expect(try place.start() == .signedIn, "seed \(seed)")
                #expect(try place.password(.current) == place.server.password, "seed \(seed)")
                #expect(try place.password(.pending) == nil, "seed \(seed)")
                #expect(try place.start(on: "second") == .signedIn, "seed \(seed)")
            }
        }
    }
}
