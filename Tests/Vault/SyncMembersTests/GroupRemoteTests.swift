import Foundation
import SecretMemory
import Sync
@testable import SyncMembers
import Testing
import TestSupport

@Suite("A group in a folder")
struct GroupRemoteTests {
    private let homes: [TestHome]

    init() throws { homes = try group(of: 2, seed: 40) }

    private func remote(_ home: TestHome, at folder: String) -> FolderGroupRemote {
        FolderGroupRemote(at: folder, group: home.group, device: home.id)
    }

    private func place(_ folder: String, _ area: GroupArea) -> String {
        "\(folder)/\(homes[0].group.text)/\(area.rawValue)"
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    @Test("each home gets the statements that it lacks, and puts again what the remote lost")
    func statements() throws {
        try withTemporaryFolder { folder in
            let first = remote(homes[0], at: folder)
            #expect(try first.exchangeStatements(known: homes[0].known).received.isEmpty)
            let second = remote(homes[1], at: folder)
            let found = try second.exchangeStatements(known: [])
            #expect(Set(found.received) == homes[0].known)
            #expect(found.refused.isEmpty)
            let names = try first.names(in: .members)
            #expect(names == homes[0].known.map(\.id.text).sorted())
            #expect(
                try Set(FileManager.default.contentsOfDirectory(atPath: place(folder, .members)))
                    == Set(names))
            try first.delete(names[0], in: .members)
            #expect(try second.exchangeStatements(known: homes[0].known).received.isEmpty)
            #expect(try first.names(in: .members) == names)
            #expect(try FolderRemote.groups(at: folder) == [homes[0].group])
        }
    }

    @Test(
        "a part of a file has one name",
        arguments: [
            "-0", "ab-0", "\(String(repeating: "ab", count: 16))",
            "\(String(repeating: "ab", count: 16))-",
            "\(String(repeating: "ab", count: 16))-01",
            "\(String(repeating: "ab", count: 16))-4096",
            "\(String(repeating: "ab", count: 16))--1", "\(String(repeating: "AB", count: 16))-1",
            "\(String(repeating: "ab", count: 17))-1",
            "\(String(repeating: "ab", count: 16))-1.tmp",
        ])
    func namesOfParts(_ other: String) throws {
        for number in [0, 9, 4_095] {
            let name = "\(String(repeating: "ab", count: 16))-\(number)"
            let part = try #require(FilePartName(name))
            #expect(part.text == name && part.number == number && part.version.count == 16)
        }
        #expect(FilePartName(other) == nil)
    }

    @Test("files that are no statement of their name are named, and odd names ignored")
    func oddFiles() throws {
        try withTemporaryFolder { folder in
            let remote = remote(homes[0], at: folder)
            _ = try remote.exchangeStatements(known: homes[0].known)
            let path = place(folder, .members)
            let statement = try #require(homes[0].known.first)
            let other = String(repeating: "0", count: 64)
            let ignored = [
                "\(other).sync-conflict-20260101-120000-ABCDEFG", ".syncthing.x.tmp", "0",
                other.dropLast() + "A", other + "0", ".taskvault-new-\(homes[0].id.text)",
            ]
            for name in ignored { try write(statement.bytes, "\(path)/\(name)") }
            // A statement under another's name, one that is cut, a later format, a large file, a link, a pipe.
            try write(statement.bytes, "\(path)/\(other)")
            let names = (1...5).map { String(repeating: "\($0)", count: 64) }
            try write(Array(statement.bytes.dropLast()), "\(path)/\(names[0])")
            var later = statement.bytes
            later[4] = 9
            try write(later, "\(path)/\(names[1])")
            try write([UInt8](repeating: 0, count: Statement.limit + 1), "\(path)/\(names[2])")
            try FileManager.default.createSymbolicLink(
                atPath: "\(path)/\(names[3])", withDestinationPath: "\(path)/\(statement.id.text)")
            #expect(unsafe mkfifo("\(path)/\(names[4])", 0o600) == 0)
            let found = try remote.exchangeStatements(known: homes[0].known)
            #expect(found.received.isEmpty)
            #expect(
                found.refused == [
                    other: .content, names[0]: .content, names[1]: .laterFormat,
                ])
        }
    }

    @Test("nothing is overwritten, and each device has a temporary name of its own")
    func put() throws {
        try withTemporaryFolder { folder in
            let remote = remote(homes[0], at: folder)
            let name = String(repeating: "a", count: 64)
            #expect(try remote.put([1], as: name, in: .members) == .stored)
            #expect(try remote.put([1], as: name, in: .members) == .present)
            #expect(try remote.put([2], as: name, in: .members) == .occupied([1]))
            let path = place(folder, .members)
            // Those that killed processes left: one's own is replaced, that of another stays.
            let own = ".taskvault-new-\(homes[0].id.text)"
            let others = ".taskvault-new-\(homes[1].id.text)"
            for left in [own, others] { try write([9], "\(path)/\(left)") }
            let next = String(repeating: "b", count: 64)
            #expect(try remote.put([3], as: next, in: .members) == .stored)
            #expect(
                try Set(FileManager.default.contentsOfDirectory(atPath: path))
                    == [name, next, others])
            #expect(try remote.names(in: .members) == [name, next])
        }
    }

    @Test("the folders of a group may not be links")
    func links() throws {
        try withTemporaryFolder { folder in
            let group = "\(folder)/\(homes[0].group.text)"
            try FileManager.default.createDirectory(
                atPath: "\(folder)/elsewhere", withIntermediateDirectories: true)
            try FileManager.default.createDirectory(
                atPath: group, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: "\(group)/members", withDestinationPath: "\(folder)/elsewhere")
            #expect(throws: RemoteFailure.self) {
                try remote(homes[0], at: folder).exchangeStatements(known: homes[0].known)
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: "\(folder)/elsewhere") == [])
        }
    }

    @Test("messages and blobs lie under their names")
    func mailbox() throws {
        try withTemporaryFolder { folder in
            let remote = remote(homes[0], at: folder)
            let device = JoiningDevice(
                homes[0].group, homes[1].secrets, random: homes[0].random)
            #expect(try remote.messages().isEmpty)
            #expect(try remote.put(device.commitment) == .stored)
            #expect(try remote.put(device.commitment) == .present)
            let name = MailboxName(device.commitment.exchange, 1)
            #expect(MailboxName(name.text) == name)
            for odd in ["", "-1", name.text + "0", "\(device.commitment.exchange.text)-4", "x-1"] {
                #expect(MailboxName(odd) == nil)
            }
            // The message under the name of another exchange is none.
            try write(
                device.commitment.bytes, "\(place(folder, .mailbox))/\(DeviceID.zero.text)-1")
            #expect(try remote.messages() == [device.commitment])
            try remote.remove(device.commitment.exchange)
            #expect(try remote.messages().isEmpty)
        }
    }

    @Test("the numbers of two devices are equal for equal heads, and change with any head")
    func numbers() {
        let random = RandomSource.seeded(41)
        let device = DeviceID.random(from: random)
        var heads: Heads = [device: Head(number: 1, hash: random.bytes(count: 32))]
        func numbers() -> [UInt64] {
            HeadsCheck.numbers(of: heads, in: homes[0].group, count: 6, below: 7_776)
        }
        let before = numbers()
        #expect(before == numbers())
        #expect(before.count == 6 && before.allSatisfy { $0 < 7_776 })
        heads[device] = Head(number: 2, hash: heads[device]?.hash ?? [])
        #expect(numbers() != before)
        #expect(
            HeadsCheck.numbers(of: heads, in: .zero, count: 6, below: 7_776) != numbers())
    }
}
