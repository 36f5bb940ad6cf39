import Platform
import SecretMemory
import SecureStorage
import Testing
import TestSupport
@testable import VaultAgent
import VaultCore

@Suite("The files of the log of reads")
struct ReadLogRotationTests {
    private typealias Machine = ReadLogTests.Machine

    private func add(_ service: String, to log: ReadLog) throws {
        try ReadLogTests.add(service, to: log)
        log.flush()
        #expect(log.failure == 0)
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        try #require(FileSystem.content(path, limit: 1 << 20))
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = try LockedLog(path)
        try file.cut(to: 0)
        try file.append(bytes, at: 0)
    }

    private func expectTruncated(_ machine: Machine, _ what: Comment) {
        #expect(throws: ReadLogError.truncated, what) { try machine.services() }
    }

    @Test("are two of a limited size, whose chain goes on", arguments: [false, true])
    func limited(isOneProcess: Bool) throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder, fullSize: 2_000)
            var log = machine.process()
            var all: [String] = []
            for number in 0..<60 {
                if !isOneProcess { log = machine.process() }
                all.append("s\(number)")
                try add("s\(number)", to: log)
                if number % 7 == 0 { try machine.commit(log) }
                let content = try machine.content()
                let found = content.reads.map(\.name.service)
                #expect(!content.isCut && content.lost == 0)
                #expect(found == all.suffix(found.count))
                #expect(found.count >= min(all.count, 4))
                // A full file gets one more flush, and its last record.
                for path in [machine.path, machine.former] {
                    #expect(FileSystem.size(path) ?? 0 < 4_000)
                }
            }
            #expect(FileSystem.exists(machine.former))
            #expect(try machine.services().count < 60, "the oldest are dropped")
        }
    }

    @Test("go on for a process whose segment is in the former file, or in one before that")
    func otherProcess() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            let slow = machine.process()
            try add("a", to: slow)
            // Each read of this one is in a file of its own.
            let fast = Machine(folder, fullSize: 1, of: machine).process()
            try add("b", to: fast)
            try add("c", to: slow)
            #expect(try machine.services() == ["a", "b", "c"])
            for name in ["d", "e", "f"] { try add(name, to: fast) }
            try add("g", to: slow)
            let content = try machine.content()
            #expect(content.reads.map(\.name.service) == ["e", "f", "g"])
            #expect(!content.isCut)
            // Files of other processes have the size of the own one.
            let other = Machine(folder, fullSize: 1, of: machine).process()
            for (name, log) in [("h", fast), ("i", other), ("j", fast), ("k", other)] {
                try add(name, to: log)
            }
            #expect(try machine.services() == ["j", "k"])
        }
    }

    @Test("are whole when threads and a reader use them at once")
    func atOnce() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder, fullSize: 1)
            try add("first", to: machine.process())
            let ended = Monitor(0)
            for number in 0..<3 {
                let log = machine.process()
                let isStarted = DetachedThread.start {
                    for _ in 0..<40 {
                        try? ReadLogTests.add("t\(number)", to: log)
                        log.flush()
                    }
                    ended.update { $0 += 1 }
                }
                #expect(isStarted)
            }
            while ended.wait(until: .now, for: { $0 == 3 ? true : nil }) == nil {
                do {
                    _ = try machine.services()
                } catch ReadLogError.unreadable(EWOULDBLOCK) {
                    // Others had the file for too long.
                }
            }
            let content = try machine.content()
            #expect(!content.isCut && !content.reads.isEmpty)
        }
    }

    @Test("may end long after the vault's head, which is then of a dropped file")
    func headDropped() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder, fullSize: 1)
            let log = machine.process()
            try add("a", to: log)
            try machine.commit(log)
            for name in ["b", "c", "d"] { try add(name, to: log) }
            #expect(try machine.services() == ["c", "d"])
            let later = machine.process()
            try add("e", to: later)
            try machine.commit(later)
            #expect(try !machine.content().isCut)
        }
    }

    @Test("that someone renamed, removed or brought back are not believed")
    func forged() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder, fullSize: 1)
            let log = machine.process()
            let paths = [machine.former, machine.path]
            var pairs: [[[UInt8]]] = []
            for name in ["a", "b", "c"] {
                try add(name, to: log)
                if name != "a" { pairs.append(try paths.map(bytes)) }
            }
            func restore(_ pair: [[UInt8]]) throws {
                for (path, bytes) in zip(paths, pair) { try write(bytes, to: path) }
            }
            let (older, good) = (pairs[0], pairs[1])
            #expect(try machine.services() == ["b", "c"])

            // Drops the former file as a rotation does, but too early: the file has no sealed end.
            let end = try #require(try ReadLogFile.walk(good[1], ReadLogTests.vaultID))
            let next = ReadLogFile.beginning(ReadLogTests.vaultID, after: end.head)
            try restore([good[1], next])
            expectTruncated(machine, "a forged beginning")
            try restore([good[1], []])
            expectTruncated(machine, "no file")
            try add("d", to: Machine(folder, of: machine).process())
            expectTruncated(machine, "a process went on")

            try restore(good)
            try FileSystem.remove(machine.former)
            expectTruncated(machine, "no former file")
            try restore([older[0], good[1]])
            expectTruncated(machine, "an earlier former file")
            try restore([good[1], good[0]])
            expectTruncated(machine, "exchanged")
            try restore([good[0], ReadLogFile.header(ReadLogTests.vaultID)])
            expectTruncated(machine, "a first file")

            try restore(good)
            let head = end.head
            try machine.vault.save(
                SecretBytes(copying: unsafe head.span.bytes), as: machine.place.headName(),
                SecretAttributes(accessClass: .whileUnlocked))
            #expect(try machine.services() == ["b", "c"])
            try restore(older)
            expectTruncated(machine, "both older than the head")
            for place in good[0].indices {
                var bad = good
                bad[0][place] ^= 1
                try restore(bad)
                #expect(throws: ReadLogError.self, "\(place)") { try machine.services() }
            }
        }
    }

    @Test("are whole after a crash between two steps", arguments: [false, true])
    func crash(isEmptyThere: Bool) throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            let small = Machine(folder, fullSize: 1, of: machine)
            let log = machine.process()
            try add("a", to: log)
            try machine.commit(log)
            try add("b", to: small.process())
            #expect(try machine.services() == ["a", "b"])
            // After the rename.
            try FileSystem.remove(machine.path)
            if isEmptyThere { try write([], to: machine.path) }
            #expect(try machine.services() == ["a"])
            // After the record that says that the file ends.
            let full = try bytes(machine.former)
            try write(full, to: machine.path)
            try FileSystem.remove(machine.former)
            #expect(try machine.services() == ["a"])
            try add("c", to: small.process())
            #expect(try machine.services() == ["a", "c"])
            #expect(FileSystem.exists(machine.former))
            // After the rename, and another process goes on.
            try FileSystem.remove(machine.path)
            if isEmptyThere { try write([], to: machine.path) }
            try add("d", to: machine.process())
            let content = try machine.content()
            #expect(content.reads.map(\.name.service) == ["a", "d"] && !content.isCut)
        }
    }

    @Test("stay as they are when the full one cannot be renamed, and no read is lost")
    func unwritable() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder)
            try add("a", to: machine.process())
            let before = try bytes(machine.path)
            let log = Machine(folder, fullSize: 1, of: machine).process()
            try SafeFolder.create(machine.former)
            try ReadLogTests.add("b", to: log)
            log.flush()
            #expect(log.failure == EISDIR)
            #expect(try bytes(machine.path) == before)
            #expect(unsafe rmdir(machine.former) == 0)
            log.flush()
            #expect(log.failure == 0)
            #expect(try machine.services() == ["a", "b"])
        }
    }

    @Test("of a copy that lacks the key are others, and all are known")
    func olderBackup() throws {
        try withTemporaryFolder { folder in
            let machine = Machine(folder, fullSize: 1)
            let log = machine.process()
            for name in ["a", "b"] { try add(name, to: log) }
            try machine.commit(log)
            let before = try [machine.path, machine.former].map(bytes)
            let older = Machine(folder, fullSize: 1)
            let later = older.process()
            try add("c", to: later)
            try older.commit(later)
            #expect(try older.services() == ["c"] && !older.content().isCut)
            #expect(try [machine.path, machine.former].map(bytes) == before)
            let services = try machine.services()
            // A commit begins another file, too.
            #expect(services == ["b"])
            let files = Set(try FileSystem.names(in: machine.place.folder))
            let known = machine.place.files(of: ReadLogTests.vaultID)
                .map { SafeFolder.split($0).name }
            #expect(
                files == Set(known) && files.count == 4, "destroy removes all: \(files) \(known)")
        }
    }
}
