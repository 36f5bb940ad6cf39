import Sealing
import SecretMemory
import Sync
@testable import SyncMembers
import TestSupport

/// A home with its keys and the statements that it knows.
final class TestHome {
    let secrets: DeviceSecrets
    let random: RandomSource
    var known: Set<Statement> = []
    var group: GroupID = .zero
    var now: Int64 = 1_000

    init(_ random: RandomSource) throws {
        self.random = random
        secrets = try .random(from: random)
    }

    var id: DeviceID { secrets.device }
    var state: GroupState { GroupState(group, known) }

    /// Writes statements from what this home knows, and knows them then.
    @discardableResult
    func write(_ body: (inout GroupAuthor) throws -> Void) throws -> [Statement] {
        try write(as: secrets, body)
    }

    /// Writes with other secrets, such as those of a recovery member.
    @discardableResult
    func write(
        as secrets: DeviceSecrets, _ body: (inout GroupAuthor) throws -> Void
    ) throws -> [Statement] {
        now += 1
        var author = GroupAuthor(secrets, state, now: now, random: random)
        try body(&author)
        known.formUnion(author.written)
        return author.written
    }

    func create(_ name: String = "desktop") throws {
        let author = try GroupAuthor.create(secrets, name: name, now: now, random: random)
        group = author.state.group
        known = Set(author.written)
    }

    /// Adds another home, which knows everything then.
    func add(_ other: TestHome, name: String? = nil, heads: Heads = [:]) throws {
        let newcomer = Newcomer(other.secrets, as: .device, to: group)
        try write { try $0.add(newcomer, name: name, heads: heads) }
        other.group = group
        other.known = known
        other.now = now
    }

    /// Both homes know then what either knew.
    func exchange(with other: TestHome) {
        known.formUnion(other.known)
        other.known = known
    }

    func remove(_ members: DeviceID..., heads: Heads = [:]) throws {
        try write { try $0.remove(members, heads: heads) }
    }

    func opens(_ epoch: GroupState.Epoch, in state: GroupState) throws -> Bool {
        try state.openEpochs(with: secrets.all).keys.contains { $0.id == epoch.id }
    }
}

/// A group of homes that all know the same.
func group(of count: Int, seed: UInt64) throws -> [TestHome] {
    let random = RandomSource.seeded(seed)
    let homes = try (0..<count).map { _ in try TestHome(random) }
    try homes[0].create()
    for home in homes.dropFirst() { try homes[0].add(home) }
    for home in homes { home.known = homes[0].known }
    return homes
}

/// The parts by which two states are compared.
struct StateDigest: Hashable {
    let members: [DeviceID: GroupState.Member]
    let recovery: [DeviceID: GroupState.Member]
    let removed: [DeviceID: GroupState.Removed]
    let usable: [GroupState.Epoch]
    let epochs: [[UInt8]: GroupState.Epoch]
    let invalid: [StatementID: StatementFailure]
    let latest: [StatementID]

    init(_ state: GroupState) {
        members = state.members
        recovery = state.recoveryMembers
        removed = state.removed
        usable = state.usableEpochs
        epochs = state.epochs
        invalid = state.invalid
        latest = state.latest
    }
}
