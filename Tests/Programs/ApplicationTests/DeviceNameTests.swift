@testable import Application
import Platform
import Sealing
import SecretMemory
import Sync
import SyncMembers
import Testing
import TestSupport

/// The names of devices, which people tell apart by them, and their number.
@Suite("Names and number of devices") struct DeviceNameTests {
    private let random = RandomSource.seeded(1)

    private func membership(_ state: GroupState, _ secrets: DeviceSecrets) throws -> SyncMembership
    {
        SyncMembership(state, try state.openEpochs(with: secrets.all))
    }

    @Test("a name that another device has gets a number")
    func freeNames() throws {
        let secrets = try DeviceSecrets.random(from: random)
        var author = try GroupAuthor.create(secrets, name: "laptop", now: 1, random: random)
        #expect(try membership(author.state, secrets).freeName("phone") == "phone")
        #expect(try membership(author.state, secrets).freeName("laptop") == "laptop 2")
        // Its own name is free for a device.
        #expect(
            try membership(author.state, secrets).freeName("laptop", for: secrets.device)
                == "laptop")
        let long = String(repeating: "ї", count: 60)
        for name in ["laptop 2", long] {
            let other = try DeviceSecrets.random(from: random)
            try author.add(Newcomer(other, as: .device, to: author.state.group), name: name)
        }
        let members = try membership(author.state, secrets)
        #expect(members.freeName("laptop") == "laptop 3")
        #expect(members.freeName(long) == String(repeating: "ї", count: 59) + " 2")
    }

    @Test("a copy is named until a person gives it a name, and no other newcomer is")
    func copies() throws {
        let secrets = try DeviceSecrets.random(from: random)
        var author = try GroupAuthor.create(secrets, name: "laptop", now: 1, random: random)
        let (copy, joined, recovered) = (
            try DeviceSecrets.random(from: random), try DeviceSecrets.random(from: random),
            try DeviceSecrets.random(from: random)
        )
        let group = author.state.group
        try author.add(Newcomer(copy, as: .device, to: group), name: "laptop copy")
        // By digits, a device names itself.
        try author.add(Newcomer(joined, as: .device, to: group))
        let code = try RecoveryCode.random(from: random)
        let opened = try author.addRecoveryMember(code).open(with: code)
        var recovery = GroupAuthor(
            try #require(opened), author.state, now: 2, random: random)
        try recovery.add(Newcomer(recovered, as: .device, to: group), name: "new")
        func problems(_ state: GroupState, _ own: DeviceSecrets) throws -> [SyncProblem] {
            SyncNaming(
                own: own.device, names: try membership(state, own).names, command: { $0 }
            ).copies(state)
        }
        #expect(try problems(recovery.state, secrets).map(\.code) == ["device_copied"])
        #expect(
            try problems(recovery.state, secrets).map(\.message) == [
                "the device laptop copy is a copy of this device: that machine was copied or put back"
            ])
        #expect(
            try problems(recovery.state, copy).map(\.message) == [
                "this machine was copied or put back: it is a device of its own now, laptop copy"
            ])
        try recovery.rename(copy.device, to: "desk")
        #expect(try problems(recovery.state, secrets).isEmpty)
    }

    /// A person who is not asked.
    private struct Nobody: JoiningPerson {
        struct Asked: Error {}

        func say(_ line: String) throws { throw Asked() }
        func waits(for wait: JoiningWait) throws { throw Asked() }
        func show(_ digits: String, for device: String) throws { throw Asked() }
        func digits(_ question: String) throws -> String { throw Asked() }
        func keepWaiting() throws { throw Asked() }
    }

    @Test("a seventeenth device is refused before anyone types digits")
    func fullGroup() throws {
        try withTemporaryFolder { folder in
            let owner = TestOwner("four words rarely mixed")
            var options = ApplicationOptions(
                EnvironmentVariables(["HOME": folder]), home: folder + "/home")
            options.usesAgent = false
            _ = try NewVaultPlace(Application(options, owner)).create(
                NewPassphrase.ask(owner.passphrases(), owner),
                cost: KeyDerivationCost(passes: 2, memoryKiB: 19 * 1_024))
            try SafeFolder.create(folder + "/shared")
            let application = try Application(options, TestOwner("four words rarely mixed"))
            let sync = application.sync
            try application.vault.withStore(.changing, signsIn: false) { store in
                _ = try sync.enable(folder + "/shared", as: "first", store)
                _ = try sync.withSession(store) { session in
                    try sync.write(session) { author in
                        for _ in 2...16 {
                            let other = try DeviceSecrets.random(from: random)
                            try author.add(
                                Newcomer(other, as: .device, to: author.state.group))
                        }
                    }
                }
                #expect(throws: GroupError.full) { try sync.approve(store, Nobody()) }
            }
        }
    }
}
