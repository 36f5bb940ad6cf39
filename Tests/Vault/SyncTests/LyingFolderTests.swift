import Foundation
@testable import Sync
import TestSupport
import Testing

/// A folder that renames files, rolls them back, or has those of a later program.
@Suite("A folder that lies")
struct LyingFolderTests {
    private func group(_ body: (TestGroup, [TestDevice], String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let group = try TestGroup(at: folder, count: 3, inFiles: true)
            let path = "\(folder)/\(group.id.text)/\(group.devices[0].id.text)"
            try body(group, group.devices, path)
        }
    }

    private func write(_ names: [String], _ group: TestGroup, _ device: TestDevice) throws {
        for name in names {
            try device.replica.change { _ in
                try Draft.item(group.object(), name: name, value: name)
            }
        }
        _ = try device.replica.exchange()
    }

    @Test("a damaged segment is put again by its author, of many within some rounds")
    func damaged() throws {
        try group { group, devices, path in
            let names = (0..<40).map { "item \($0)" }
            for name in names { try write([name], group, devices[0]) }
            func file(_ number: Int) -> URL { URL(fileURLWithPath: "\(path)/\(number)") }
            let whole = try (1...40).map { try Data(contentsOf: file($0)) }
            // Those for other bytes, fewer and none.
            for (number, count) in [(3, nil), (17, 100), (40, 0)] as [(Int, Int?)] {
                var bytes = whole[number - 1]
                bytes[bytes.count / 2] ^= 1
                try bytes.prefix(count ?? bytes.count).write(to: file(number))
            }
            #expect(try devices[1].replica.exchange().applied == 2)
            var repaired = 0
            for _ in 0..<40 {
                group.wait(1_000)
                repaired += try devices[0].replica.exchange().repaired
            }
            #expect(repaired == 3)
            #expect(try (1...40).map { try Data(contentsOf: file($0)) } == whole)
            #expect(try devices[1].replica.exchange().applied == 38)
        }
    }

    @Test("a segment under the number of another one is not taken for it")
    func renamed() throws {
        try group { group, devices, path in
            try write(["a", "b"], group, devices[0])
            let files = FileManager.default
            for (from, to) in [("1", "x"), ("2", "1"), ("x", "2")] {
                try files.moveItem(atPath: "\(path)/\(from)", toPath: "\(path)/\(to)")
            }
            let report = try devices[1].replica.exchange()
            #expect(report.applied == 0)
            #expect(report.waiting.keys.map(\.number) == [1])
            for (from, to) in [("1", "x"), ("2", "1"), ("x", "2")] {
                try files.moveItem(atPath: "\(path)/\(from)", toPath: "\(path)/\(to)")
            }
            #expect(try devices[1].replica.exchange().applied == 2)
        }
    }

    @Test("a folder that was rolled back is complete again after a round of each author")
    func rolledBack() throws {
        try group { group, devices, _ in
            let base = "\(group.folder)/\(group.id.text)"
            try write(["a"], group, devices[0])
            try write(["b"], group, devices[1])
            try FileManager.default.copyItem(atPath: base, toPath: group.folder + "/old")
            try write(["c", "d"], group, devices[0])
            try write(["e"], group, devices[1])
            try FileManager.default.removeItem(atPath: base)
            try FileManager.default.moveItem(atPath: group.folder + "/old", toPath: base)
            // The third knows nothing of what is gone, and the second misses nothing.
            #expect(try devices[2].replica.exchange().applied == 2)
            #expect(try devices[1].replica.exchange().published > 0)
            #expect(try devices[0].replica.exchange().published > 0)
            try group.exchangeAll()
            #expect(devices[2].store.state.versions.count == 5)
            #expect(try devices[2].replica.exchange() == SyncReport())
        }
    }

    @Test("a segment of a later format is named, waits, and stops nobody else")
    func laterFormat() throws {
        try group { group, devices, path in
            try write(["a"], group, devices[0])
            let whole = try Data(contentsOf: URL(filePath: path + "/1"))
            var later = whole
            later[4] = 2
            try later.write(to: URL(filePath: path + "/1"))
            try write(["b"], group, devices[1])
            let report = try devices[2].replica.exchange()
            #expect(report.applied == 1)
            #expect(
                report.waiting == [Dot(devices[0].id, 1): .unreadable(.laterFormat)])
            try whole.write(to: URL(filePath: path + "/1"))
            #expect(try devices[2].replica.exchange().applied == 1)
        }
    }
}
