@testable import Application
import Foundation
import Sealing
import SecretMemory
import Sync
import SyncMembers
import SyncStorage
import Testing
import TestSupport

/// Vectors with statements and segments: what a device refuses that knew of a removal, made from `Docs/Sync.md` by a program of its own.
@Suite("The vectors of removed members' epochs") struct EpochVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lines: [String: [String]]

        static let all = TestVectors.all(in: "Members") { Vector($0, $1) }
            .filter { $0.lines["kind"] == ["chain"] }

        private init(_ name: String, _ text: String) {
            testDescription = name
            lines = text.split(separator: "\n").reduce(into: [:]) { lines, line in
                let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
                lines[parts[0], default: []].append(parts.count > 1 ? parts[1] : "")
            }
        }
    }

    @Test("segments are applied, or refused", arguments: Vector.all)
    func chain(vector: Vector) throws {
        let group = try #require(GroupID(text: vector.lines["group"]?.first ?? ""))
        let state = try GroupState(
            group, (vector.lines["statement"] ?? []).map { try Statement(TestVectors.bytes($0)) })
        let secrets = try (vector.lines["secrets"] ?? []).map { digits in
            let bytes = try TestVectors.bytes(digits)
            return try #require(
                try LevelSecrets(SecretBytes(copying: unsafe bytes.span.bytes)))
        }
        let members = SyncMembership(state, try state.openEpochs(with: secrets))
        let own = secrets[0].device
        try withTemporaryFolder { folder in
            for line in vector.lines["segment"] ?? [] {
                let words = line.split(separator: " ").map(String.init)
                let chain = "\(folder)/\(group.text)/\(words[0])"
                try FileManager.default.createDirectory(
                    atPath: chain, withIntermediateDirectories: true)
                try Data(TestVectors.bytes(words[2])).write(
                    to: URL(filePath: "\(chain)/\(words[1])"))
            }
            let store = try SyncDatabase.inMemory(.list, device: own, keys: [:])
            let replica = Replica(
                group, own, key: try secrets[0].signingKeyPair(), members: members.keys(of: .list),
                epochs: members.epochs.keys, store: store,
                remote: LimitedRemote(
                    FolderRemote(at: folder, group: group, device: own),
                    limits: members.limits(of: .list)),
                environment: Replica.Environment(now: { 1_800_000_000_000 }, random: .system))
            replica.formerMembers = Set(members.limits(of: .list).keys)
            replica.audiences = members.audiences
            let report = try replica.collect()
            let applied = try store.transaction { transaction in
                transaction.ledger.chains.filter { $0.value.number > 0 }
                    .map { "\($0.key.text) \($0.value.number)" }
            }
            let refused = report.waiting.map { dot, reason -> String in
                if case .invalid(let failure) = reason {
                    return "\(dot.device.text) \(dot.number) \(failure.rawValue)"
                }
                return "\(dot.device.text) \(dot.number) \(reason)"
            }
            #expect(applied.sorted() == vector.lines["applied"])
            #expect(refused.sorted() == vector.lines["refused"] ?? [])
        }
    }
}
