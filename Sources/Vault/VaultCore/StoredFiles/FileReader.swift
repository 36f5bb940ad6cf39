internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import Synchronization
internal import VaultStorage

/// Reads the content of a file of the vault.
///
/// Each chunk is read in a separate transaction and authenticated before the caller gets it. The reader ends when the vault is locked,
/// and for a protected file when verification ends. Any thread may use it, one at a time.
public final class FileReader: Sendable {
    /// The file, in the version being read.
    public let file: StoredFile

    private let vault: UnlockedVault
    private let storage: any RecordStorage
    private let accessClass: AccessClass
    private let content: Mutex<Content>

    private struct Content: ~Copyable {
        /// Nil after a failure.
        var opener: ChunkOpener?
        var failure = VaultError.store(.locked)
    }

    init(
        _ vault: UnlockedVault, _ storage: any RecordStorage, _ accessClass: AccessClass,
        _ file: StoredFile, _ opener: consuming ChunkOpener
    ) {
        self.vault = vault
        self.storage = storage
        self.accessClass = accessClass
        self.file = file
        content = Mutex(Content(opener: opener))
    }

    /// Reads the next bytes, up to ``VaultFiles/chunkSize``.
    ///
    /// - Parameter body: Gets the bytes; they cannot outlive the call. It must not call the vault.
    /// - Returns: The result of `body`; nil at the end of the file.
    /// - Throws: `damaged`; `store(.notFound)` if the content was removed meanwhile; `store(.locked)`, `store(.notVerified)`, `storage`.
    public func next<Result>(_ body: (RawSpan) -> Result) throws(VaultError) -> Result? {
        var result: Result?
        try VaultError.translating {
            try content.withLock { content in
                guard var opener = content.opener.take() else { throw content.failure }
                if !opener.isAtEnd {
                    do {
                        try storage.read { reader in try opener.openNext(reader) }
                        _ = try vault.use { session in try session.valueKey(accessClass) }
                    } catch {
                        content.failure = failure(error)
                        throw content.failure
                    }
                    result = opener.buffer.withBytes { body($0) }
                }
                content.opener = consume opener
            }
        }
        return result
    }

    /// A missing chunk is not damage if the content was erased meanwhile.
    private func failure(_ error: any Error) -> VaultError {
        let failure = VaultError(translating: error)
        guard failure == .damaged(.chunkMissing) else { return failure }
        do {
            _ = try VaultFiles(vault).read(file.id, revision: file.revision)
            return failure
        } catch {
            return error == .damaged(.chunkMissing) ? failure : error
        }
    }
}
