internal import SecureStorage
internal import VaultStorage

// Changes.
extension VaultFiles {
    /// Changes the name, protection or task of a file.
    ///
    /// - Throws: `store(.notFound)`, `store(.invalidName)`, `store(.duplicate)`, `store(.notVerified)`.
    @discardableResult
    public func edit(_ id: String, _ edit: FileEdit) throws(VaultError) -> StoredFile {
        if let name = edit.name { try Self.checkName(name) }
        let item = try vault.use { session in
            let name = try Self.itemName(id)
            return try session.change { changes in
                if let label = edit.name {
                    try changes.requireUnusedFileName(label, exceptOf: name)
                }
                let row = try changes.existing(name, expecting: nil)
                var change = SecretEdit(label: edit.name)
                if let isProtected = edit.isProtected {
                    change.accessClass = isProtected ? .afterVerification : .whileUnlocked
                }
                if let task = edit.task {
                    change.extra = try session.open(row).extra.replacing(
                        FileDescription.taskKey, by: task)
                }
                return try changes.edit(name, change, expecting: row.revision)
            }
        }
        guard let file = StoredFile(item) else { throw .store(.notFound) }
        return file
    }

    /// Removes a file with its earlier versions. They stay recoverable as long as removed secrets.
    ///
    /// - Parameters:
    ///   - id: The id of the file; for a permanent removal also that of a removed file.
    ///   - isPermanent: Whether to erase the file and its versions now.
    /// - Throws: `store(.notFound)`.
    public func remove(_ id: String, permanently isPermanent: Bool = false) throws(VaultError) {
        let versions = try vault.use { session in
            let name = try Self.itemName(id)
            let isRemoved = try session.row(of: session.tag(of: name)) == nil
            let removedID = try isPermanent && isRemoved ? session.removedFileID(name) : nil
            return try session.change { changes in
                guard let row = try changes.item(tag: session.tag(of: name)) else {
                    guard let removedID else { throw SecureStoreError.notFound }
                    return try changes.eraseRemovedFile(removedID)
                }
                let versions = try changes.fileVersions(of: row)
                try changes.remove(
                    row, of: name, at: session.environment.now(), permanently: isPermanent)
                return versions
            }
        }
        erase(versions)
    }

    /// Restores a removed file.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - name: A new name, or nil for the old one.
    /// - Returns: The file.
    /// - Throws: `store(.notFound)`; `store(.duplicate)` if another file now has the name.
    @discardableResult
    public func restore(
        removed id: String, as name: String? = nil
    ) throws(VaultError) -> StoredFile {
        if let name { try Self.checkName(name) }
        let item = try vault.use { session in
            let itemName = try Self.itemName(id)
            guard let removedID = try session.removedFileID(itemName) else {
                throw SecureStoreError.notFound
            }
            return try session.change { changes in
                guard let row = try changes.earlierRows(of: removedID).first?.earlier.row else {
                    throw SecureStoreError.notFound
                }
                let label = try name ?? session.openAttributes(of: row).label
                try changes.requireUnusedFileName(label, exceptOf: itemName)
                let item = try changes.restore(removed: removedID, as: nil)
                guard name != nil else { return item }
                return try changes.edit(itemName, SecretEdit(label: label), expecting: nil)
            }
        }
        guard let file = StoredFile(item) else { throw .store(.notFound) }
        return file
    }

    /// Restores an earlier version of a file. The present content becomes an earlier version.
    ///
    /// - Throws: `store(.notFound)`, `store(.notVerified)`.
    @discardableResult
    public func restore(
        _ id: String, toRevision revision: UInt64
    ) throws(VaultError) -> StoredFile {
        let (item, versions) = try vault.use { session in
            let name = try Self.itemName(id)
            return try session.change { changes in
                let row = try changes.existing(name, expecting: nil)
                let found = try changes.earlierRows(of: row.itemID).first(where: {
                    $0.earlier.row.revision == revision && $0.isShown
                })
                guard let earlier = found?.earlier.row else { throw SecureStoreError.notFound }
                let content = try session.openAttributes(of: earlier).extra.text(
                    FileDescription.key)
                let extra = try session.open(row).extra.replacing(FileDescription.key, by: content)
                let versions = try changes.fileVersions(of: row)
                let item = try session.withValue(of: earlier) { value in
                    try changes.update(row, to: value, SecretEdit(extra: extra))
                }
                return (item, versions)
            }
        }
        erase(versions)
        guard let file = StoredFile(item) else { throw .store(.notFound) }
        return file
    }
}
