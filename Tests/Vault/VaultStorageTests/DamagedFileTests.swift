import Testing
import TestSupport
import VaultStorage

@Suite("A damaged file")
struct DamagedFileTests {
    private func makeVault(at path: String) throws -> Everything {
        let storage = try VaultDatabase.createFile(at: path)
        defer { storage.close() }
        try storage.write { writer in
            try writer.putHeader([UInt8](repeating: 1, count: 407))
            try writer.insertState([UInt8](repeating: 2, count: 153))
            for number in 0..<UInt8(12) {
                try writer.putBucket(Int(number), bytes: [UInt8](repeating: number, count: 116))
                try writer.insertEarlier(.sample(number, UInt64(number) + 1))
                try writer.insertItem(
                    .sample(number, number, value: [UInt8](repeating: number, count: 1_500)))
            }
        }
        return try storage.everything()
    }

    /// The result of opening and reading all: an error of the storage, or the content.
    private func outcome(_ path: String) -> Result<Everything, any Error> {
        Result {
            let storage = try VaultDatabase.openFile(at: path, mode: .readWrite)
            defer { storage.close() }
            return try storage.everything()
        }
    }

    private func storageError(in outcome: Result<Everything, any Error>) -> DatabaseError? {
        VaultStorageTests.storageError { _ = try outcome.get() }
    }

    @Test("that was cut anywhere is refused by name")
    func truncation() throws {
        try withTemporaryFolder { folder in
            let original = folder + "/v.db"
            let content = try makeVault(at: original)
            let bytes = try TestFile.read(original)
            try #require(bytes.count > 4 * 4_096 && bytes.count % 4_096 == 0)
            let lengths = Set(
                Array(0..<130) + Array(stride(from: 0, to: bytes.count, by: 509))
                    + stride(from: 4_096, to: bytes.count, by: 4_096)
                    .flatMap { [$0 - 1, $0, $0 + 1] }
                    + [bytes.count - 1])
            for length in lengths.sorted() {
                let path = folder + "/cut.db"
                try TestFile.write(Array(bytes[..<length]), to: path)
                switch storageError(in: outcome(path)) {
                case .foreign, .damaged: break
                // SQLite reads what is missing of the last page as zeros; the vault notices that.
                case nil where length > bytes.count - 4_096: break
                case let other: Issue.record("cut to \(length) bytes: \(String(describing: other))")
                }
            }
            let whole = outcome(original)
            #expect(try whole.get() == content)
        }
    }

    @Test("with any byte changed is read or refused by name")
    func flippedBytes() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/v.db"
            _ = try makeVault(at: path)
            let bytes = try TestFile.read(path)
            var refused = 0
            var changed = bytes
            // All of the file's own header, and a prime step through the rest.
            let positions = Array(0..<100) + Array(stride(from: 100, to: bytes.count, by: 97))
            for position in positions {
                changed[position] ^= 0xff
                try TestFile.write(changed, to: path)
                changed[position] = bytes[position]
                switch outcome(path) {
                case .success: break
                case let failure:
                    refused += 1
                    #expect(storageError(in: failure) != nil, "\(position): \(failure)")
                }
                for suffix in ["-wal", "-shm", "-journal"] {
                    #expect(!TestFile.exists(path + suffix), "\(position)\(suffix)")
                }
            }
            #expect(refused > 30)
        }
    }

    @Test("with tags out of order gives the rows of its buckets, and no other order")
    func changedTag() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/v.db"
            _ = try makeVault(at: path)
            let bytes = try TestFile.read(path)
            let tag = ItemRecord.sample(5).tag
            let start = try #require(bytes.firstRange(of: tag)?.lowerBound)
            for (byte, value) in [(0, UInt8(0)), (0, 200), (31, 255), (31, 0)] {
                var changed = bytes
                changed[start + byte] = value
                try TestFile.write(changed, to: path)
                let storage = try VaultDatabase.openFile(at: path, mode: .readWrite)
                defer { storage.close() }
                let found = try (0...UInt8.max).flatMap { try storage.items(inBucket: $0) }
                #expect(found.count >= 10)
                let isAscending = zip(found, found.dropFirst()).allSatisfy {
                    $0.tag.lexicographicallyPrecedes($1.tag)
                }
                let error = VaultStorageTests.storageError { _ = try storage.items() }
                if byte == 0, !isAscending {
                    #expect(
                        error == .damaged(reason: "rows are not in the order of their keys"))
                }
            }
        }
    }

    @Test("whose log is rubbish is read without it")
    func rubbishLog() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/v.db"
            let content = try makeVault(at: path)
            let rubbish = (0..<9_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try TestFile.write(rubbish, to: path + "-wal")
            try TestFile.write(rubbish, to: path + "-shm")
            let found = outcome(path)
            #expect(try found.get() == content)
            #expect(TestFile.names(in: folder) == ["v.db"])
        }
    }

    @Test("whose log was cut anywhere has a state that was committed")
    func truncatedLog() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/v.db"
            let storage = try VaultDatabase.createFile(at: path)
            defer { storage.close() }
            try storage.write { try $0.insertState([0]) }
            #expect(try storage.eraseOldBytes() == true)
            for number in 1...UInt8(8) {
                try storage.write { writer in
                    #expect(try writer.replaceState([number - 1], with: [number]))
                    try writer.insertItem(.sample(number))
                }
            }
            let file = try TestFile.read(path)
            let log = try TestFile.read(path + "-wal")
            try #require(log.count > 8 * 4_096)
            let copy = folder + "/copy.db"
            var states: Set<UInt8> = []
            for length in stride(from: 0, through: log.count, by: 1_013) {
                try TestFile.write(file, to: copy)
                try TestFile.write(Array(log[..<length]), to: copy + "-wal")
                let found = try outcome(copy).get()
                let state = try #require(found.state?.first)
                #expect(found.items.count == Int(state))
                states.insert(state)
            }
            #expect(states == Set(0...7) || states == Set(0...8))
        }
    }
}
