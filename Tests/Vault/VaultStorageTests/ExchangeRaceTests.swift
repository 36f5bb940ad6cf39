import Platform
import Synchronization
import Testing
import TestSupport
@testable import VaultStorage

/// Somebody exchanges the vault with something else again and again while it is opened.
@Suite("What is exchanged while it is opened")
struct ExchangeRaceTests {
    private static let own = [UInt8](repeating: 1, count: 40)
    private static let foreign = [UInt8](repeating: 2, count: 40)
    private static let tries = 10_000

    @Test("is the file that was checked, or is refused")
    func file() throws {
        try withTemporaryFolder { folder in
            try Self.makeVault(folder, Self.own)
            try Self.makeVault(folder + "/other", Self.foreign)
            let other = folder + "/other.db"
            try #require(unsafe rename(folder + "/other/vault.db", other) == 0)
            try #require(Self.giveAway(other))
            let found = try Self.open(
                folder + "/vault.db", whileExchanging: "vault.db", with: "other.db", in: folder)
            found.expectNothingForeign()
            #expect(
                found.refusals[
                    .unsafeLocation(
                        path: folder + "/vault.db", reason: "replaced while it was opened"),
                    default: 0] > 0, "\(found.refusals)")
        }
    }

    @Test("is a file in the folder that was checked, or is refused")
    func folder() throws {
        try withTemporaryFolder { folder in
            for (name, header) in [("home", Self.own), ("other", Self.foreign)] {
                try Self.makeVault("\(folder)/\(name)", header)
            }
            try #require(Self.giveAway(folder + "/other/vault.db"))
            try #require(Self.giveAway(folder + "/other"))
            let found = try Self.open(
                folder + "/home/vault.db", whileExchanging: "home", with: "other", in: folder)
            found.expectNothingForeign()
        }
    }

    private static func makeVault(_ folder: String, _ header: [UInt8]) throws {
        try VaultLocation.prepareFolder(at: folder)
        let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
        defer { storage.close() }
        try storage.write { try $0.putHeader(header) }
    }

    /// Makes it somebody else's, or, where that is not allowed, open to others.
    private static func giveAway(_ path: String) -> Bool {
        unsafe geteuid() == 0 ? chown(path, 65_534, 65_534) == 0 : chmod(path, 0o755) == 0
    }

    /// The results of many tries to open.
    private struct Found: Sendable {
        var headers: [[UInt8]: Int] = [:]
        var refusals: [DatabaseError: Int] = [:]

        func expectNothingForeign() {
            #expect(headers.keys.allSatisfy { $0 == ExchangeRaceTests.own })
            // Both were there to be opened.
            #expect(headers.values.reduce(0, +) > 10)
            #expect(refusals.values.reduce(0, +) > 10)
            for refusal in refusals.keys {
                switch refusal {
                case .unsafeLocation, .notFound: break
                default: Issue.record("\(refusal)")
                }
            }
        }
    }

    private static func open(
        _ path: String, whileExchanging first: String, with second: String, in folder: String
    ) throws -> Found {
        var found = Found()
        let isDone = Atomic(false)
        let hasEnded = Atomic(false)
        // A thread of its own: the pool has only one on a machine with one processor.
        let isStarted = DetachedThread.start {
            exchange(first, second, in: folder) { isDone.load(ordering: .relaxed) }
            hasEnded.store(true, ordering: .releasing)
        }
        try #require(isStarted)
        for attempt in 0..<tries {
            let result = Result {
                try header(path, attempt.isMultiple(of: 2) ? .readOnly : .readWrite)
            }
            // What SQLite leaves beside a file that is somebody else's would keep the owner out from then on.
            for place in [path, path.replacing("/\(first)/", with: "/\(second)/")] {
                for suffix in VaultLocation.companionSuffixes {
                    _ = unsafe unlink(place + suffix)
                }
            }
            switch result {
            case .success(let header): found.headers[header, default: 0] += 1
            case .failure(let error):
                if let error = error as? DatabaseError {
                    found.refusals[error, default: 0] += 1
                } else {
                    Issue.record(error)
                }
            }
        }
        isDone.store(true, ordering: .relaxed)
        let isOver = until { hasEnded.load(ordering: .acquiring) }
        #expect(isOver)
        return found
    }

    private static func exchange(
        _ first: String, _ second: String, in folder: String, until isDone: () -> Bool
    ) {
        guard let folder = try? FileDescriptor(folder: folder) else { return }
        while !isDone() {
            _ = unsafe platform_exchange(folder.number, first, second)
            usleep(UInt32.random(in: 0...400))
        }
    }

    private static func header(
        _ path: String, _ mode: StorageMode
    ) throws -> [UInt8] {
        let storage = try VaultDatabase.openFile(at: path, mode: mode)
        defer { storage.close() }
        return try storage.read { reader in try reader.header() } ?? []
    }
}
