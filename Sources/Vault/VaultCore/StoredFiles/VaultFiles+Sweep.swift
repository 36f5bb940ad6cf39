internal import SecureStorage
internal import VaultStorage

// Removal of orphaned chunks: those that neither a file nor an earlier version references.
extension VaultFiles {
    /// How long orphaned chunks stay, in milliseconds: a program may be about to finish their file.
    private static let chunkDelay: Int64 = 86_400_000
    /// The number of chunks removed in one transaction.
    private static let removedChunks = 512

    /// Removes orphaned chunks 24 hours after they were stored, and returns their space to the file system.
    ///
    /// - Returns: The number of removed chunks.
    /// - Throws: `store(.locked)`, `damaged`, `storage`.
    @discardableResult
    public func sweep() throws(VaultError) -> Int {
        let versions = try vault.use { session in
            let latest = session.environment.now() - Self.chunkDelay
            var old: [[UInt8]] = []
            try session.read { reader in
                try reader.forEachChunkVersion { version, stored in
                    if stored <= latest { old.append(version) }
                }
                // Most vaults have no old chunks: then open no earlier row.
                guard !old.isEmpty else { return }
                guard let named = try session.referencedVersions(reader) else {
                    old = []
                    return
                }
                old.removeAll { named.contains($0) }
            }
            return old
        }
        return try remove(versions)
    }

    /// Removes the chunks of these versions unless a file references them. Leaves failures to a later sweep.
    func erase(_ versions: Set<[UInt8]>) {
        _ = try? remove(Array(versions))
    }

    private func remove(_ versions: [[UInt8]]) throws(VaultError) -> Int {
        var removed = 0
        for version in versions {
            // Bound the loop: a server that always reports more chunks must not block the vault.
            for _ in 0...FileChunks.count(ofBytes: limit) / Int64(Self.removedChunks) {
                // One transaction each, so that other processes can use the vault in between.
                let count = try vault.use { session in
                    try session.removeOrphanedChunks(version: version, limit: Self.removedChunks)
                }
                removed += count
                if count < Self.removedChunks { break }
            }
        }
        if removed > 0 {
            let storage = try vault.use { $0.storage }
            try VaultError.translating { try storage.returnSpace() }
        }
        return removed
    }

    /// As ``sweep()``, at most once a day, after ``UnlockedVault/eraseExpired()``.
    func sweepOnceADay() throws(VaultError) {
        let now = try vault.use { session -> Int64? in
            let now = session.environment.now()
            if let last = session.lastChunkSweep, abs(last.distance(to: now)) < Self.chunkDelay {
                return nil
            }
            return now
        }
        guard let now else { return }
        try sweep()
        try vault.use { $0.lastChunkSweep = now }
    }
}

extension VaultSession {
    /// Removes chunks of an orphaned version, in one transaction.
    ///
    /// The same transaction checks the references, because another program may finish the file at the same time.
    fileprivate func removeOrphanedChunks(version: [UInt8], limit: Int) throws -> Int {
        try catchingUp {
            try storage.write { writer in
                try refresh(writer)
                guard let named = try referencedVersions(writer), !named.contains(version) else {
                    return 0
                }
                return try writer.removeChunks(version: version, limit: limit)
            }
        }
    }

    /// The versions that items and earlier rows of files reference; nil if one of them can be read only from a sealed value.
    fileprivate func referencedVersions(_ reader: any RecordReader) throws -> Set<[UInt8]>? {
        guard let state = index?.stateRecord else { throw VaultError.damaged(.stateMissing) }
        if let versionCache, versionCache.state == state { return versionCache.versions }
        var versions: Set<[UInt8]> = []
        var isComplete = true
        func add(_ attributes: [ExtraAttribute]) {
            if let file = FileDescription(attributes) {
                versions.insert(file.version)
            } else {
                isComplete = false
            }
        }
        for item in try fileItems(reader) { add(item.attributes.extra) }
        try forEachEarlier(reader) { row, _ in
            let description = try self.openAttributes(of: row)
            if description.name.isFile { add(description.extra) }
        }
        versionCache = (state, isComplete ? versions : nil)
        return isComplete ? versions : nil
    }
}
