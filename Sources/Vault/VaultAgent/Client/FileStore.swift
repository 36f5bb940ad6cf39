internal import SecretMemory
internal import TextCoding
package import VaultCore

/// The files of a vault, directly or through its agent; see ``VaultFiles``, whose functions have
/// the same names.
package protocol FileStore: Sendable {
    func list(_ order: FileOrder) throws -> [StoredFile]
    func file(named name: String) throws -> StoredFile
    func files(ofTask task: String) throws -> [StoredFile]
    func removed() throws -> [EarlierFile]
    func history(of id: String) throws -> [EarlierFile]

    /// Stores a content as a new file or in an existing one.
    ///
    /// - Parameters:
    ///   - target: The file.
    ///   - part: Reads bytes into the span from the offset on, and returns their number; 0 at the
    ///     end. After an error no content is stored. It must not use the vault.
    /// - Returns: The stored file.
    /// - Throws: The error of `part`; as ``VaultFiles/add(_:isProtected:task:)``.
    func store(
        _ target: FileTarget, _ part: (inout MutableRawSpan, Int) throws -> Int
    ) throws -> StoredFile

    /// Reads a content.
    ///
    /// - Parameters:
    ///   - id: The file.
    ///   - revision: An earlier version.
    ///   - chunk: Receives each authenticated chunk. The content is complete only when this
    ///     function returns. `chunk` must not use the vault.
    /// - Returns: The file.
    /// - Throws: The error of `chunk`; as ``VaultFiles/read(_:revision:)``.
    @discardableResult
    func read(
        _ id: String, revision: UInt64?, _ chunk: (StoredFile, RawSpan) throws -> Void
    ) throws -> StoredFile

    func edit(_ id: String, _ edit: FileEdit) throws -> StoredFile
    func remove(_ id: String, permanently isPermanent: Bool) throws
    func restore(removed id: String, as name: String?) throws -> StoredFile
    func restore(_ id: String, toRevision revision: UInt64) throws -> StoredFile
    func settings() throws -> FileSettings
    @discardableResult
    func changeSettings(_ body: (inout FileSettings) -> Void) throws -> FileSettings
}

extension VaultFiles: FileStore {
    package func store(
        _ target: FileTarget, _ part: (inout MutableRawSpan, Int) throws -> Int
    ) throws -> StoredFile {
        let writer =
            switch target {
            case .new(let name, let isProtected, let task):
                try add(name, isProtected: isProtected, task: task)
            case .replacing(let id): try replace(id)
            }
        do {
            var buffer = try SecretBytes(count: Self.chunkSize)
            while case let count = try buffer.fill(part), count > 0 {
                try buffer.withBytes { bytes in try writer.write(bytes.extracting(first: count)) }
            }
            return try writer.finish()
        } catch {
            writer.abandon()
            throw error
        }
    }

    @discardableResult
    package func read(
        _ id: String, revision: UInt64?, _ chunk: (StoredFile, RawSpan) throws -> Void
    ) throws -> StoredFile {
        let reader = try read(id, revision: revision)
        while true {
            var failure: (any Error)?
            let isThere: Void? = try reader.next { bytes in
                do { try chunk(reader.file, bytes) } catch { failure = error }
            }
            if let failure { throw failure }
            if isThere == nil { return reader.file }
        }
    }
}

extension SecretBytes {
    /// Reads parts until the buffer is full or the input ends.
    ///
    /// - Returns: The number of bytes.
    mutating func fill(
        _ part: (inout MutableRawSpan, Int) throws -> Int
    ) throws -> Int {
        try withMutableBytes { bytes in
            var count = 0
            while count < bytes.byteCount {
                let size = try part(&bytes, count)
                if size == 0 { break }
                count += size
            }
            return count
        }
    }
}
