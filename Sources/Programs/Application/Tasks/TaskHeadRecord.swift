internal import Platform
internal import Sealing
internal import SecureStorage
package import Tasks
internal import TextCoding
package import VaultCore

/// This machine's record of the newest change that it saw of a list: a file beside the rollback records (`Docs/Storage.md`).
///
/// It is written in place, after the change and before it is acknowledged, and not synced: a power cut may put it back by some seconds.
package struct TaskHeadRecord: SeenTaskHead {
    private static let size = 40
    private static let format: UInt32 = 1

    private let folder: String
    private let path: String
    package let rule: SeenTaskRule
    private let note: @Sendable (RollbackRecordError) -> Void

    /// Names the file. The first record makes the folder.
    ///
    /// - Parameters:
    ///   - folder: The folder of the rollback records, absolute.
    ///   - place: The path of the list's file, or the address of its database.
    ///   - rule: The treatment of a list that lacks the recorded change.
    ///   - note: Receives a failure to read or write the record.
    /// - Throws: `UnusableFile` if another user can change the folder; `SystemFailure`.
    package init(
        in folder: String, of place: String, _ rule: SeenTaskRule = .requiring,
        noting note: @escaping @Sendable (RollbackRecordError) -> Void = { _ in }
    ) throws {
        self.folder = folder
        if FileSystem.exists(folder) { try SafeFolder.require(SafeFolder.resolve(folder)) }
        let name = Blake2b.hash(size: 16) { input in
            input.feed("TVTL")
            input.feed(place)
        }
        path = folder + "/" + Hexadecimal.text(name) + ".list"
        self.rule = rule
        self.note = note
    }

    package func read() throws -> TaskHead? {
        let descriptor = unsafe platform_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
        guard descriptor >= 0 else {
            let failure = SystemFailure.last("open")
            if !failure.isMissingFile { report(failure) }
            return nil
        }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH) == 0, let bytes = Self.content(descriptor) else {
            report(SystemFailure.last("read"))
            return nil
        }
        if bytes.isEmpty { return nil }
        guard let head = Self.head(bytes) else { throw TaskListError.recordDamaged }
        return head
    }

    package func raise(to head: TaskHead) {
        write(head) { known in head.number > known?.number ?? 0 }
    }

    package func replace(with head: TaskHead) {
        write(head) { _ in true }
    }

    /// Removes the record of a list that this machine moved away.
    func remove() {
        try? FileSystem.remove(path)
    }

    private func write(_ head: TaskHead, if isWanted: (TaskHead?) -> Bool) {
        do {
            if !FileSystem.exists(folder) {
                try SafeFolder.create(folder)
                try SafeFolder.require(SafeFolder.resolve(folder))
            }
            let descriptor = try FileSystem.openLocked(path, O_RDWR)
            defer { close(descriptor) }
            guard let old = Self.content(descriptor) else { throw SystemFailure.last("read") }
            guard isWanted(Self.head(old)) else { return }
            if old.count > Self.size, ftruncate(descriptor, 0) != 0 {
                throw SystemFailure.last("ftruncate")
            }
            let bytes = Self.bytes(head)
            let count = unsafe pwrite(descriptor, bytes, bytes.count, 0)
            guard count == bytes.count else {
                throw count < 0 ? .last("pwrite") : SystemFailure("pwrite", code: ENOSPC)
            }
            guard old.isEmpty else { return }
            // A new file: a power cut could otherwise leave a name without content.
            guard fsync(descriptor) == 0 else { throw SystemFailure.last("fsync") }
            try FileSystem.sync(folder: folder)
        } catch {
            report(error as? SystemFailure ?? SystemFailure("open", code: EPERM))
        }
    }

    private func report(_ failure: SystemFailure) {
        note(.unavailable(path: folder, code: failure.code))
    }

    /// The bytes of the file, at most one more than a record has; nil after a failure.
    private static func content(_ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: size + 1)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    /// Encodes a record.
    static func bytes(_ head: TaskHead) -> [UInt8] {
        var writer = ByteWriter(capacity: size)
        writer.magic("TVTR")
        writer.integer(format)
        writer.integer(head.number)
        writer.integer(head.mark)
        writer.raw(checksum(writer.bytes))
        return writer.bytes
    }

    /// Decodes a record; nil for any other bytes.
    static func head(_ bytes: [UInt8]) -> TaskHead? {
        ByteReader.reading(bytes) { reader in
            guard reader.magic("TVTR") == true, reader.integer(UInt32.self) == format,
                let number = reader.integer(Int64.self), let mark = reader.integer(Int64.self),
                number >= 0, reader.raw(16) == checksum(Array(bytes.prefix(size - 16))),
                reader.isAtEnd
            else { return nil }
            return TaskHead(number: number, mark: mark)
        }
    }

    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        Blake2b.hash(size: 16) { $0.feed(bytes) }
    }
}
