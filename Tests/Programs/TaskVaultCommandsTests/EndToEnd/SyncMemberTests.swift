import Foundation
import Testing
import TestSupport

/// The members of a group, by commands alone: recovery codes, and what a removal means.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SyncMemberTests {
    private static let other =
        "MCHP-4SYX-HOX3-774E-DZ4U-KFYJ-XXUQ-GCAA-GGCI-TWKR-BNLH-CYQV-OXNQ-BAP7"

    private func join(_ homes: TwoHomes, with code: String) throws -> RunResult {
        try homes.second.run(
            "sync join --folder \(homes.folder) --name second --recovery-code --json",
            input: code + "\n")
    }

    private func names(_ homes: TwoHomes, in area: String) throws -> Set<String> {
        let group = try #require(Files.names(in: homes.folder).first)
        return Set(Files.names(in: "\(homes.folder)/\(group)/\(area)"))
    }

    /// Makes the first home the first device, and takes the code that it offers.
    private func enableWithCode(_ homes: TwoHomes) throws -> String {
        try homes.first.unlock()
        let session = try TerminalSession(
            homes.first, ["sync", "enable", "--folder", homes.folder, "--name", "first"],
            columns: 200)
        try session.answer(
            "Make a new recovery code? The one from before does not open the group [y/N]", "y")
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0, "\(session.screen)")
        return try TestHome.recoveryCode(in: session.screen)
    }

    @Test func theCodeOfEnablingReplacesALostLastDevice() throws {
        let homes = try TwoHomes(isJoined: false)
        try homes.first.save("hunter2")
        _ = try homes.first.add("buy milk")
        let code = try enableWithCode(homes)
        try homes.first.syncNow()
        let wrong = try join(homes, with: Self.other)
        #expect(wrong.exitCode == 4)
        #expect(wrong.failure["code"] as? String == "wrong_recovery_code")
        let joined = try join(homes, with: code)
        #expect(joined.exitCode == 0, "\(joined.errorText)")
        #expect(try homes.second.value() == "hunter2")
        #expect(try homes.second.tasks().texts("name") == ["buy milk"])
        #expect(try homes.second.run("device remove first --yes").exitCode == 0)
        let refused = try homes.first.run("sync now --json")
        #expect(refused.exitCode == 8)
        #expect(refused.failure["code"] as? String == "device_removed")
    }

    @Test func enablingWithoutACodeSaysSo() throws {
        let homes = try TwoHomes(isJoined: false)
        try homes.first.unlock()
        let session = try TerminalSession(
            homes.first, ["sync", "enable", "--folder", homes.folder], columns: 200)
        try session.answer(
            "Make a new recovery code? The one from before does not open the group [y/N]", "n")
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(
            session.screen.contains("nothing opens the group until taskvault recovery show-new"))
        #expect(try names(homes, in: "recovery").isEmpty)
    }

    @Test func aRevokedCodeOpensTheGroupNoMore() throws {
        let homes = try TwoHomes(isJoined: false)
        try homes.enable()
        let shown = try homes.first.run("recovery show-new --json")
        let code = try #require(shown.object["recovery_code"] as? String)
        #expect(try names(homes, in: "recovery").count == 1)
        // With the folder away, neither the vault nor the group loses its code.
        try FileManager.default.moveItem(atPath: homes.folder, toPath: homes.folder + "-away")
        let away = try homes.first.run("recovery revoke --json")
        #expect(away.failure["code"] as? String == "folder_unusable", "\(away.errorText)")
        try FileManager.default.moveItem(atPath: homes.folder + "-away", toPath: homes.folder)
        let before = try names(homes, in: "members")
        let revoked = try homes.first.run("recovery revoke")
        #expect(revoked.exitCode == 0, "\(revoked.errorText)")
        // A remove, and an epoch without the recovery member.
        #expect(try names(homes, in: "members").subtracting(before).count == 2)
        #expect(try names(homes, in: "recovery").isEmpty)
        let refused = try join(homes, with: code)
        #expect(refused.failure["code"] as? String == "wrong_recovery_code")
        let second = try homes.first.run("recovery show-new --json")
        let next = try #require(second.object["recovery_code"] as? String)
        let joined = try join(homes, with: next)
        #expect(joined.exitCode == 0, "\(joined.errorText)")
    }

    @Test func aBlobOfARevokedCodeThatComesBackIsDeleted() throws {
        let homes = try TwoHomes()
        #expect(try homes.first.run("recovery show-new").exitCode == 0)
        try homes.sync()
        let blob = try #require(try names(homes, in: "recovery").first)
        let group = try #require(Files.names(in: homes.folder).first)
        let path = "\(homes.folder)/\(group)/recovery/\(blob)"
        let bytes = try Files.read(path)
        #expect(try homes.first.run("recovery revoke").exitCode == 0)
        try Files.write(bytes, to: path)
        try homes.second.syncNow()
        #expect(try names(homes, in: "recovery").isEmpty)
        try homes.sync()
        #expect(try names(homes, in: "recovery").isEmpty)
    }

    /// The folder and the state of a machine can be put back together. What it then seals for a member that it had known to be removed is refused.
    @Test func changesUnderKeysOfARemovedMemberAreRefused() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        #expect(try first.run("recovery show-new").exitCode == 0)
        try homes.sync()
        let before = try names(homes, in: "members")
        #expect(try first.run("recovery revoke").exitCode == 0)
        try first.save("new keys")
        try homes.sync()
        // From here on, the second device has written under the new keys.
        _ = try second.add("under the new keys")
        try second.syncNow()
        let group = try #require(Files.names(in: homes.folder).first)
        let members = "\(homes.folder)/\(group)/members"
        let later = try names(homes, in: "members").subtracting(before)
        #expect(later.count == 2)
        let known = try #require(
            FileManager.default.subpaths(atPath: second.folder + "/state")?.first {
                $0.hasSuffix("/statements")
            })
        for name in later {
            try FileManager.default.removeItem(atPath: "\(members)/\(name)")
            try FileManager.default.removeItem(
                atPath: "\(second.folder)/state/\(known)/\(name)")
        }
        _ = try second.add("under the old keys")
        try second.syncNow()
        let refused = try first.run("sync now --json")
        #expect(refused.exitCode == 7)
        #expect(refused.failure["code"] as? String == "keys_of_removed")
        #expect((refused.failure["hint"] as? String)?.contains("device remove") == true)
        #expect(try first.tasks().texts("name") == ["under the new keys"])
    }
}
