import Sealing
import SecretMemory
import Sync
@testable import SyncMembers
import Testing
import TestSupport

@Suite("Recovery of a group")
final class RecoveryTests {
    private let homes: [TestHome]
    private let code: RecoveryCode
    private let blob: RecoveryBlob

    init() throws {
        homes = try group(of: 2, seed: 30)
        let code = try RecoveryCode.random(from: homes[0].random)
        var blob: RecoveryBlob?
        try homes[0].write { blob = try $0.addRecoveryMember(code) }
        self.blob = try #require(blob)
        self.code = code
    }

    private func open(_ blob: RecoveryBlob?) throws -> DeviceSecrets? {
        try blob?.open(with: code)
    }

    @Test("with the code alone, a new machine joins and removes the lost ones")
    func recovery() throws {
        try homes[0].write { try $0.newEpoch() }
        let read = try #require(RecoveryBlob(blob.bytes))
        #expect(read == blob)
        let recovery = try #require(try open(read))
        let machine = try TestHome(homes[0].random)
        machine.group = homes[0].group
        machine.known = homes[0].known
        try machine.write(as: recovery) {
            try $0.add(Newcomer(machine.secrets, as: .device, to: machine.group), name: "new")
            try $0.remove(homes.map(\.id), heads: [:])
        }
        let state = machine.state
        #expect(state.invalid.isEmpty)
        #expect(Set(state.members.keys) == [machine.id])
        let opened = try state.openEpochs(with: machine.secrets.all)
        // It reads what was written in every epoch.
        #expect(opened.missing.isEmpty && opened.failures.isEmpty)
        #expect(Set(opened.keys.map(\.id)) == Set(state.epochs.keys))
        #expect(opened.sealing != nil)
        #expect(state.name(of: machine.id, opened) == "new")
        for home in homes {
            let lost = try state.openEpochs(with: home.secrets.all)
            #expect(lost.sealing == nil)
        }
        // The new machine is a member as any other.
        #expect(throws: Never.self) { try machine.write { try $0.newEpoch() } }
    }

    @Test("the recovery member is no device, and does not count among the sixteen")
    func role() throws {
        let state = homes[0].state
        #expect(Set(state.members.keys) == Set(homes.map(\.id)))
        #expect(Set(state.recoveryMembers.keys) == [blob.member])
        #expect(state.recoveryMember?.id == blob.member)
        for chain in SyncChain.allCases {
            #expect(state.segmentKeys(of: chain)[chain.id(of: blob.member)] == nil)
        }
        // New epochs are made for it, too.
        try homes[0].write { try $0.newEpoch() }
        let newest = try #require(homes[0].state.usableEpochs.first)
        #expect(newest.statement.members == Set(homes.map(\.id) + [blob.member]))
    }

    @Test("another code, any changed byte and another member's blob open nothing")
    func changed() throws {
        let other = try RecoveryCode.random(from: homes[0].random)
        let opened = try blob.open(with: other)
        #expect(opened == nil)
        for index in blob.bytes.indices {
            var bytes = blob.bytes
            bytes[index] ^= 1
            if let changed = RecoveryBlob(bytes) {
                #expect(try open(changed) == nil, "byte \(index)")
            }
        }
        #expect(RecoveryBlob(blob.bytes + [0]) == nil)
        #expect(RecoveryBlob([]) == nil)
        var later = blob.bytes
        later[4] = 2
        #expect(RecoveryBlob(later) == nil)
    }

    @Test("after revoking, the code opens no new epoch and its member says nothing that counts")
    func revoked() throws {
        let recovery = try #require(try open(blob))
        let before = homes[0].known
        try homes[0].remove(blob.member)
        #expect(homes[0].state.recoveryMembers.isEmpty)
        let usable = homes[0].state.usableEpochs
        #expect(usable.count == 1)
        #expect(
            try homes[0].state.openEpochs(with: recovery.all).keys.allSatisfy {
                $0.id != usable.first?.id
            })
        // One who has the code writes as if it had not seen that.
        let thief = try TestHome(homes[0].random)
        thief.group = homes[0].group
        thief.known = before
        try thief.write(as: recovery) {
            try $0.add(Newcomer(thief.secrets, as: .device, to: thief.group))
            try $0.remove([homes[1].id], heads: [:])
        }
        homes[0].exchange(with: thief)
        #expect(Set(homes[0].state.members.keys) == Set(homes.map(\.id)))
    }

    @Test("a new code replaces the old one")
    func replaced() throws {
        let next = try RecoveryCode.random(from: homes[0].random)
        var blob: RecoveryBlob?
        try homes[0].write { blob = try $0.addRecoveryMember(next) }
        let state = homes[0].state
        #expect(Set(state.recoveryMembers.keys) == [blob?.member])
        #expect(state.removed[self.blob.member] != nil)
        let opened = try blob?.open(with: next)
        let recovery = try #require(opened)
        let epochs = try state.openEpochs(with: recovery.all)
        #expect(epochs.missing.isEmpty && epochs.failures.isEmpty)
        let former = try #require(try open(self.blob))
        #expect(try state.openEpochs(with: former.all).sealing == nil)
    }
}
