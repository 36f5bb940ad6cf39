internal import Database
internal import Platform
internal import Tasks
internal import TextCoding
package import VaultAgent
package import VaultCore

extension OpenStore {
    package var files: any FileStore {
        if let agent { return AgentFiles(agent) }
        guard let vault = secrets as? UnlockedVault else {
            preconditionFailure("a vault without an agent is open in this process")
        }
        return VaultFiles(vault)
    }
}

extension Application {
    /// The file of a name, or else of an id; later errors name it as their subject.
    package func file(named name: String, in files: any FileStore) throws -> StoredFile {
        errors.file = name
        do {
            return try files.file(named: name)
        } catch {
            guard errors.failure(error).exitCode == .notFound,
                Hexadecimal.isText(name, ofBytes: 16),
                let file = try files.list(.name).first(where: { $0.id == name })
            else { throw error }
            errors.file = file.name
            return file
        }
    }

    /// The file, with protection if its task has protection.
    package func protectedAsItsTask(
        _ file: StoredFile, in files: any FileStore
    ) throws -> StoredFile {
        guard !file.isProtected, isTaskProtected(of: file) else { return file }
        return try files.edit(file.id, FileEdit(isProtected: true))
    }

    /// Whether a file belongs to a protected task.
    package func isTaskProtected(of file: StoredFile) -> Bool {
        guard let task = file.task else { return false }
        // A task protects its files only if its list can be read.
        return (try? tasks.withTasks(.reading) { try $0.list.find(task).isProtected }) ?? false
    }

    /// Removes old chunks without a reference, as an agent does after each unlock.
    package func sweep(_ store: OpenStore) {
        if store.agent == nil, let vault = store.secrets as? UnlockedVault {
            _ = try? VaultFiles(vault).sweep()
        }
    }

    /// Warns, once, if the disk of the vault is nearly full.
    ///
    /// - Parameter leastSize: The smallest size of a vault that is checked, in bytes.
    package func warnOfFullDisk(leastSize: Int64 = 0) {
        guard (try? vault.source().isFile) == true,
            FileSystem.size(folders.file) ?? 0 >= leastSize,
            let (total, free) = try? FileSystem.space(folders.file)
        else { return }
        let use = DiskUse(total: total, free: free)
        guard use.isNearlyFull else { return }
        owner.warn(
            "disk_nearly_full",
            "the disk of the vault is nearly full: \(byteText(use.free)) of \(byteText(use.total)) are free"
        )
    }
}

extension StoredFile {
    /// The public name in full, quoted for a shell.
    package var typed: String { ShellText.quote(name) }

    /// Size and type, for a report.
    package var summary: String { "\(byteText(size)), \(mediaType)" }
}
