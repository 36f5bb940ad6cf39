import Synchronization
import Testing
import TestSupport
import VaultStorage

@Suite("A storage's transaction")
struct StorageTransactionTests {
    @Test("is undone when its function throws", arguments: StorageKind.allCases)
    func rollback(kind: StorageKind) throws {
        try kind.withStorage { storage in
            try storage.write { writer in
                try writer.putHeader([1])
                try writer.insertState([1])
                try writer.putBucket(1, bytes: [1])
                try writer.insertItem(.sample(1))
                try writer.insertItem(.sample(2))
            }
            let before = try storage.everything()
            #expect(isInterrupted { try storage.write(changeEverythingAndThrow) })
            let after = try storage.everything()
            #expect(after == before)
            // And the storage goes on.
            try storage.put([.sample(4)])
        }
    }

    private func changeEverythingAndThrow(_ writer: any RecordWriter) throws {
        try writer.putHeader([2])
        #expect(try writer.replaceState([1], with: [2]))
        try writer.putBucket(1, bytes: nil)
        try writer.putBucket(2, bytes: [2])
        try writer.replaceItem(.sample(1, value: [9]))
        try writer.removeItem(tag: ItemRecord.sample(2).tag)
        try writer.insertItem(.sample(3))
        #expect(try writer.header() == [2])
        try writer.removeAllItems()
        throw Interruption()
    }

    /// Whether the error of the function comes back as it is.
    private func isInterrupted(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch {
            return error is Interruption
        }
    }

    @Test("ends a reading function's error the same way", arguments: StorageKind.allCases)
    func readError(kind: StorageKind) throws {
        try kind.withStorage { storage in
            try storage.put([.sample(1), .sample(2)])
            var seen = 0
            #expect(isInterrupted { try storage.read { _ in throw Interruption() } })
            #expect(
                isInterrupted {
                    try storage.read { reader in
                        try reader.forEachItem { _ in
                            seen += 1
                            throw Interruption()
                        }
                    }
                })
            #expect(seen == 1)
            try storage.put([.sample(3)])
        }
    }

    @Test("lends a reader for the time of the call only", arguments: StorageKind.allCases)
    func escapedReader(kind: StorageKind) throws {
        try kind.withStorage { storage in
            var reader: (any RecordReader)?
            var writer: (any RecordWriter)?
            try storage.read { reader = $0 }
            try storage.write { writer = $0 }
            let late = try #require(reader)
            let lateWriter = try #require(writer)
            #expect(storageError { _ = try late.header() } == .closed)
            #expect(storageError { _ = try late.item(tag: []) } == .closed)
            #expect(storageError { try late.forEachItem { (_) throws(any Error) in } } == .closed)
            #expect(storageError { try lateWriter.putHeader([1]) } == .closed)
            // Nor has it anything from a later transaction.
            try storage.write { _ in
                #expect(storageError { _ = try late.header() } == .closed)
                #expect(storageError { try lateWriter.putHeader([1]) } == .closed)
            }
            let header = try storage.read { try $0.header() }
            #expect(header == nil)
        }
    }

    @Test("can loop inside a loop", arguments: StorageKind.allCases)
    func nestedLoops(kind: StorageKind) throws {
        try kind.withStorage { storage in
            try storage.put([.sample(1), .sample(2), .sample(3)])
            let count = try storage.read { reader in
                var count = 0
                try reader.forEachItem { outer in
                    try reader.forEachItem { _ in count += 1 }
                    #expect(try reader.item(tag: outer.tag) == outer)
                }
                return count
            }
            #expect(count == 9)
        }
    }

    @Test("replaces each row inside a loop over all", arguments: StorageKind.allCases)
    func replaceInLoop(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let items = (UInt8.min...UInt8.max).map { ItemRecord.sample($0) }
            try storage.put(items)
            try storage.write { writer in
                try writer.forEachItem { item in
                    var item = item
                    item.value = [UInt8](repeating: 1, count: item.value.count * 3)
                    item.revision += 1
                    try writer.replaceItem(item)
                }
            }
            let revisions = try storage.items().map(\.revision)
            #expect(revisions == items.map { $0.revision + 1 })
        }
    }

    @Test("sees nothing of what is written meanwhile")
    func snapshot() throws {
        try withTemporaryFolder { folder in
            let first = try VaultDatabase.createFile(at: folder + "/vault.db")
            let second = try VaultDatabase.openFile(at: folder + "/vault.db", mode: .readWrite)
            defer {
                first.close()
                second.close()
            }
            try first.write { try $0.insertState([1]) }
            try first.read { reader in
                #expect(try reader.state() == [1])
                try second.write { writer in
                    #expect(try writer.replaceState([1], with: [2]))
                    try writer.insertItem(.sample(1))
                }
                #expect(try reader.state() == [1])
                #expect(try reader.item(tag: ItemRecord.sample(1).tag) == nil)
            }
            let both = try first.stateAndItem(tag: ItemRecord.sample(1).tag)
            #expect(both.state == [2] && both.item == .sample(1))
        }
    }

    @Test("of anybody is seen by the next read of state and row")
    func newState() throws {
        try withTemporaryFolder { folder in
            let first = try VaultDatabase.createFile(at: folder + "/vault.db")
            let second = try VaultDatabase.openFile(at: folder + "/vault.db", mode: .readWrite)
            defer {
                first.close()
                second.close()
            }
            let tag = ItemRecord.sample(1).tag
            #expect(try first.stateAndItem(tag: tag).state == nil)
            try first.write { try $0.insertState([0]) }
            for number in UInt8(0)..<6 {
                let writer = number.isMultiple(of: 2) ? first : second
                let isReplaced = try writer.write {
                    try $0.replaceState([number], with: [number + 1])
                }
                #expect(isReplaced)
                // Not committed, and so nobody's.
                try? writer.write { writer in
                    #expect(try writer.replaceState([number + 1], with: [99]))
                    #expect(try writer.state() == [99])
                    throw Interruption()
                }
                for reader in [first, second, first] {
                    #expect(try reader.stateAndItem(tag: tag).state == [number + 1])
                }
            }
        }
    }

    @Test("of two threads and objects never loses an update", arguments: StorageKind.allCases)
    func counters(kind: StorageKind) async throws {
        try await kind.withTwo { first, second in
            let shared = [first, second]
            try first.write { try $0.insertState([0, 0]) }
            let failures = Mutex<[String]>([])
            await onThreads(4) { number in
                for _ in 0..<50 {
                    do {
                        try shared[number % 2].write { writer in
                            guard let old = try writer.state() else { throw Interruption() }
                            let sum = Int(old[0]) * 256 + Int(old[1]) + 1
                            let new = [UInt8(sum / 256), UInt8(sum % 256)]
                            guard try writer.replaceState(old, with: new) else {
                                throw Interruption()
                            }
                        }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
            }
            #expect(failures.withLock { $0 } == [])
            let state = try second.read { try $0.state() }
            #expect(state == [0, 200])
        }
    }

    @Test("is refused after close, whatever it is", arguments: StorageKind.allCases)
    func closed(kind: StorageKind) throws {
        try kind.withStorage { storage in
            storage.close()
            storage.close()
            #expect(storageError { _ = try storage.read { try $0.header() } } == .closed)
            #expect(storageError { try storage.write { try $0.putHeader([1]) } } == .closed)
            #expect(storageError { _ = try storage.stateAndItem(tag: [1]) } == .closed)
            #expect(storageError { _ = try storage.eraseOldBytes() } == .closed)
            #expect(storageError { try storage.backup(to: "/nonexistent/backup.db") } == .closed)
        }
    }
}
