internal import SecureStorage
package import Tasks
internal import VaultAgent
internal import VaultCore

// Files that belong to tasks. A change of a task changes them too: protection, removal, restoring.
extension OpenStore {
    /// Protects the files of a task, or removes their protection, in one step.
    package func protect(filesOf task: TaskID, _ isProtected: Bool) throws {
        let accessClass = isProtected ? AccessClass.afterVerification : .whileUnlocked
        try change(filesOf: task, .edit(SecretEdit(accessClass: accessClass))) {
            $0.isProtected != isProtected
        }
    }

    /// Moves the files of a removed task to the removed files, in one step.
    package func remove(filesOf task: TaskID) throws {
        try change(filesOf: task, .remove(permanently: false)) { _ in true }
    }

    private func change(
        filesOf task: TaskID, _ action: SecretChange.Action, where isMeant: (StoredFile) -> Bool
    ) throws {
        let changes = try files.files(ofTask: task.text).filter(isMeant).map { file in
            let name = try SecretName(service: SecretName.fileService, account: file.id)
            return SecretChange(name, expecting: nil, action)
        }
        if !changes.isEmpty { try secrets.change(changes) }
    }

    /// Restores the files that were removed with a task, at this time or later.
    ///
    /// - Returns: The names of the files that stay removed because the name is in use.
    package func bringBack(filesOf task: TaskID, removedFrom time: PointInTime) throws -> [String] {
        var left: [String] = []
        for earlier in try files.removed()
        where earlier.file.task == task.text && earlier.moved >= time.milliseconds {
            do {
                _ = try files.restore(removed: earlier.file.id, as: nil)
            } catch AgentError.vault(.store(.duplicate)), VaultError.store(.duplicate) {
                left.append(earlier.file.name)
            }
        }
        return left
    }
}

extension VaultAccess {
    /// Runs `body` with the vault that the agent has unlocked.
    ///
    /// - Returns: The result of `body`; nil if the vault is locked or missing.
    package func withStoreIfUnlocked<Result>(_ body: (OpenStore) throws -> Result) throws -> Result?
    {
        guard usesAgent, let agent = try? agent(), (try? agent.status().isUnlocked) == true else {
            return nil
        }
        return try body(OpenStore(secrets: agent, agent: agent))
    }
}
