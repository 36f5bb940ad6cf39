import Foundation
import Platform
import SecretMemory
import Sync
@testable import SyncMembers
import Testing
import TestSupport

@Suite("A folder as remote")
struct FolderRemoteTests {
    private let group: GroupID
    private let own: DeviceID
    private let other: DeviceID

    init() {
        let random = RandomSource.seeded(1)
        group = .random(from: random)
        own = .random(from: random)
        other = .random(from: random)
    }

    private func remote(at folder: String) -> FolderRemote {
        FolderRemote(at: folder, group: group, device: own)
    }

    private func place(_ folder: String, _ device: DeviceID) throws -> String {
        let path = "\(folder)/\(group.text)/\(device.text)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    @Test("what is put is listed and given back, and never overwritten")
    func put() throws {
        try withTemporaryFolder { folder in
            let remote = remote(at: folder)
            #expect(try remote.list(own).isEmpty)
            #expect(try remote.put([1, 2, 3], number: 7) == .stored)
            #expect(try remote.put([1, 2, 3], number: 7) == .present)
            #expect(try remote.put([4], number: 7) == .occupied([1, 2, 3]))
            let listed = try remote.list(own)
            #expect(listed == [RemoteSegment(Dot(own, 7), name: "7")])
            #expect(try remote.get(listed[0]) == [1, 2, 3])
            #expect(try FolderRemote.groups(at: folder) == [group])
            let path = try place(folder, own)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["7"])
            let mode = try FileStatus.of(path: path + "/7")?.mode
            #expect(mode.map { $0 & 0o777 } == 0o600)
            try remote.delete("7")
            try remote.delete("7")
            #expect(try remote.list(own).isEmpty)
        }
    }

    @Test("a file that a killed process left is replaced")
    func leftOver() throws {
        try withTemporaryFolder { folder in
            let path = try place(folder, own)
            try write([9], path + "/.taskvault-new")
            #expect(try remote(at: folder).list(own).isEmpty)
            #expect(try remote(at: folder).put([1], number: 1) == .stored)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["1"])
        }
    }

    @Test("copies because of a conflict are candidates, other names are ignored")
    func names() throws {
        try withTemporaryFolder { folder in
            let path = try place(folder, other)
            let ignored = [
                "0", "01", "-1", "+1", "1.tmp", "x", "1 ", "18446744073709551615",
                "99999999999999999999999", "１",
                ".syncthing.3.tmp", ".taskvault-new", "3.sync-conflict", "~3", "3.sync_conflict-1",
            ]
            for name in ignored + ["3", "3.sync-conflict-20260101-120000-ABCDEFG", "20", "100"] {
                try write([1], path + "/" + name)
            }
            #expect(
                try remote(at: folder).list(other).map(\.name)
                    == ["3", "3.sync-conflict-20260101-120000-ABCDEFG", "20", "100"])
        }
    }

    @Test(
        "pipes, links, folders and long files are nothing that can be read", .timeLimit(.minutes(1))
    )
    func kinds() throws {
        try withTemporaryFolder { folder in
            let path = try place(folder, other)
            #expect(unsafe mkfifo(path + "/1", 0o600) == 0)
            try write([5], folder + "/outside")
            #expect(unsafe symlink(folder + "/outside", path + "/2") == 0)
            #expect(unsafe symlink("/dev/zero", path + "/3") == 0)
            try FileManager.default.createDirectory(
                atPath: path + "/4", withIntermediateDirectories: false)
            try write([UInt8](repeating: 1, count: Segment.limit + 1), path + "/5")
            try write([UInt8](repeating: 1, count: Segment.limit), path + "/6")
            try write([], path + "/7")
            // A gibibyte that takes no space.
            try write([], path + "/8")
            #expect(unsafe truncate(path + "/8", 1 << 30) == 0)
            let remote = remote(at: folder)
            let found = try remote.list(other).map { try remote.get($0)?.count }
            #expect(found == [nil, nil, nil, nil, nil, Segment.limit, 0, nil])
            #expect(try remote.get(RemoteSegment(Dot(other, 9), name: "9")) == nil)
        }
    }

    @Test("a link in the place of a device's folder is not followed")
    func links() throws {
        try withTemporaryFolder { folder in
            let path = try place(folder, other)
            try write([1], path + "/1")
            #expect(unsafe symlink(path, "\(folder)/\(group.text)/\(own.text)") == 0)
            #expect(throws: RemoteFailure.self) { try remote(at: folder).put([2], number: 2) }
            #expect(throws: RemoteFailure.self) { try remote(at: folder).list(own) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["1"])
        }
    }

    @Test("a folder that is gone is an error, and is not made again")
    func missing() throws {
        try withTemporaryFolder { folder in
            let gone = folder + "/unmounted"
            #expect(throws: RemoteFailure.self) { try remote(at: gone).put([1], number: 1) }
            #expect(!FileManager.default.fileExists(atPath: gone))
        }
    }
}
