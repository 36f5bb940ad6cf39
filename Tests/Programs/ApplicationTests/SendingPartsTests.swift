@testable import Application
import Platform
import Sync
import SyncMembers
import TextCoding
import Testing
@testable import VaultCore
import VaultStorage

/// Parts of a content over several connections.
@Suite(.timeLimit(.minutes(10))) struct SendingPartsTests {
    private static let count = 12

    private let shared = Shared()
    private let content: FileContent
    private let storage: any RecordStorage

    init() throws {
        let version = [UInt8](repeating: 7, count: 16)
        // Its last part is missing here.
        let size = (Self.count + 1) * SealedFileParts.chunksOfPart * FileChunks.size
        content = try #require(
            FileContent(attribute: "\(Hexadecimal.text(version)) \(size) text/plain"))
        storage = try VaultDatabase.inMemory()
        let parts = SealedFileParts(storage)
        for number in 0..<Self.count {
            let bytes = [UInt8](repeating: UInt8(number), count: SealedFileParts.largestPart)
            try parts.put(bytes, number: number, of: content, at: 0)
        }
    }

    /// Puts the parts over a connection of the caller and those of helpers, and checks that nobody is at work afterwards.
    private func put(
        _ numbers: Range<Int> = 0..<count, caller: @escaping Behaviour,
        helper: Behaviour? = nil, until end: MonotonicTime = .never
    ) throws -> SendingParts.Outcome {
        defer {
            #expect(shared.state.read { $0.running } == 0)
            storage.close()
        }
        let (shared, content) = (shared, content)
        let sending = SendingParts(
            Array(numbers), of: content, from: SealedFileParts(storage), until: end,
            now: { shared.state.read { $0.now } })
        let further = helper.map { helper -> @Sendable () -> any GroupRemote in
            { @Sendable in
                shared.state.update { $0.helpers += 1 }
                return TestRemote(shared, content, helper)
            }
        }
        return try sending.put(over: TestRemote(shared, content, caller), further)
    }

    @Test func helpersTakePart() throws {
        let outcome = try put(
            caller: { shared, _ in
                // Its second part waits for a part of each helper.
                guard shared.state.read({ $0.byCaller == 1 }) else { return nil }
                _ = shared.state.wait { $0.stored.count >= 3 ? true : nil }
                return nil
            }, helper: { _, _ in nil })
        #expect(outcome == .whole)
        let state = shared.state.read { $0 }
        #expect(state.helpers == 2)
        #expect(state.stored.sorted() == Array(0..<Self.count))
        #expect(state.byCaller < Self.count)
    }

    @Test(arguments: [RemoteFailure.Kind.unreachable, .rejected, .full])
    func whatAHelperCannotPutTheCallerPuts(_ kind: RemoteFailure.Kind) throws {
        let outcome = try put(
            caller: { shared, _ in
                guard shared.state.read({ $0.byCaller == 1 }) else { return nil }
                _ = shared.state.wait { $0.failed.count == 2 ? true : nil }
                return nil
            },
            helper: { shared, number in
                shared.state.update { $0.failed.append(number) }
                return RemoteFailure("helper", "fails", kind: kind)
            })
        #expect(outcome == .whole)
        let state = shared.state.read { $0 }
        #expect(state.stored.sorted() == Array(0..<Self.count))
        #expect(state.byCaller == Self.count && state.failed.count == 2)
    }

    /// The last parts are on their way when the caller has none left.
    @Test func theCallerWaitsForWhatAHelperGivesBack() throws {
        let outcome = try put(
            0..<3,
            caller: { shared, _ in
                guard shared.state.read({ $0.byCaller == 1 }) else { return nil }
                _ = shared.state.wait { $0.begunByHelpers > 0 ? true : nil }
                return nil
            },
            helper: { shared, _ in
                _ = shared.state.wait { $0.stored.count + $0.withHelpers == 3 ? true : nil }
                return RemoteFailure("helper", "fails")
            })
        #expect(outcome == .whole)
        #expect(shared.state.read { $0.stored.sorted() } == [0, 1, 2])
    }

    @Test func aFailureOfTheCallerEndsAll() throws {
        #expect(throws: RemoteFailure("caller", "is full", kind: .full)) {
            try put(
                caller: { shared, _ in
                    guard shared.state.read({ $0.byCaller == 1 }) else { return nil }
                    _ = shared.state.wait { $0.running == 3 ? true : nil }
                    shared.state.update { $0.hasEnded = true }
                    return RemoteFailure("caller", "is full", kind: .full)
                },
                helper: { shared, _ in
                    _ = shared.state.wait { $0.hasEnded ? true : nil }
                    return nil
                })
        }
        // What was on its way is there, and of the rest little was begun.
        let stored = shared.state.read { $0.stored }
        #expect(Set(stored).count == stored.count && stored.contains(0))
        #expect(stored.count < Self.count)
    }

    /// Parts that are left after the time are neither lost nor counted twice.
    @Test func theTimeEnds() throws {
        let outcome = try put(
            caller: { shared, _ in
                guard shared.state.read({ $0.byCaller == 1 }) else { return nil }
                _ = shared.state.wait { $0.running == 3 ? true : nil }
                shared.state.update { $0.now = MonotonicTime(nanoseconds: 5_000_000_000) }
                return nil
            },
            helper: { shared, _ in
                _ = shared.state.wait { $0.now.nanoseconds > 0 ? true : nil }
                return nil
            }, until: MonotonicTime(nanoseconds: 5_000_000_000))
        // The first part, and three that were on their way.
        #expect(outcome == .interrupted(Self.count - 4))
        #expect(shared.state.read { $0.stored.sorted() } == [0, 1, 2, 3])
    }

    @Test func onePartIsPutAfterTheTime() throws {
        let outcome = try put(
            caller: { _, _ in nil }, until: MonotonicTime(nanoseconds: -1))
        #expect(outcome == .interrupted(Self.count - 1))
    }

    /// All connections would share what is slow, and no part would be whole within its limit of time.
    @Test func aSlowConnectionHasNoHelpers() throws {
        let outcome = try put(
            caller: { shared, _ in
                shared.state.update { $0.now = $0.now + .milliseconds(250) }
                return nil
            }, helper: { _, _ in nil })
        #expect(outcome == .whole)
        #expect(shared.state.read { $0.helpers } == 0)
        #expect(shared.state.read { $0.byCaller } == Self.count)
    }

    @Test func aMissingChunkIsDamage() throws {
        let outcome = try put(
            0..<Self.count + 1, caller: { _, _ in nil }, helper: { _, _ in nil })
        #expect(outcome == .damaged)
    }
}

/// Runs before a part is stored, and returns a failure.
private typealias Behaviour = @Sendable (Shared, _ number: Int) -> RemoteFailure?

/// The state that all connections of a test share.
private final class Shared: Sendable {
    struct State {
        var now = MonotonicTime(nanoseconds: 0)
        var stored: [Int] = []
        /// The number of parts that the caller's connection stored.
        var byCaller = 0
        var failed: [Int] = []
        /// The number of connections that helpers made.
        var helpers = 0
        /// The number of parts on their way, and of those that helpers have or had.
        var running = 0
        var withHelpers = 0
        var begunByHelpers = 0
        var hasEnded = false
    }

    let state = Monitor(State())
}

private struct TestRemote: GroupRemote {
    private let shared: Shared
    private let content: FileContent
    private let behaviour: Behaviour
    private let isCaller: Bool

    init(_ shared: Shared, _ content: FileContent, _ behaviour: @escaping Behaviour) {
        self.shared = shared
        self.content = content
        self.behaviour = behaviour
        isCaller = shared.state.read { $0.helpers } == 0
    }

    func names(in area: GroupArea) throws(RemoteFailure) -> [String] { [] }
    func get(_ name: String, in area: GroupArea) throws(RemoteFailure) -> [UInt8]? { nil }
    func delete(_ name: String, in area: GroupArea) throws(RemoteFailure) {}

    func put(
        _ bytes: [UInt8], as name: String, in area: GroupArea
    ) throws(RemoteFailure) -> PutResult {
        let number = FilePartName(name)?.number ?? -1
        let ofHelper = isCaller ? 0 : 1
        shared.state.update { state in
            state.running += 1
            state.withHelpers += ofHelper
            state.begunByHelpers += ofHelper
        }
        defer {
            shared.state.update { state in
                state.running -= 1
                state.withHelpers -= ofHelper
            }
        }
        // Each part has its own bytes.
        #expect(bytes.count == SealedFileParts.largestPart && bytes.last == UInt8(number))
        if let failure = behaviour(shared, number) { throw failure }
        shared.state.update { state in
            state.stored.append(number)
            if isCaller { state.byCaller += 1 }
        }
        return .stored
    }
}
