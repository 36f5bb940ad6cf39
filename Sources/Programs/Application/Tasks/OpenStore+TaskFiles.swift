internal import SecureStorage
package import Tasks
internal import VaultAgent
internal import VaultCore

// Files that belong to tasks. A change of a task changes them too: protection, removal, restoring.
extension OpenStore {
    /// Protects the files of tasks, or removes their protection, in one step.
    package func protect(filesOf tasks: [TaskID], _ isProtected: Bool) throws {
        let accessClass = isProtected ? AccessClass.afterVerification : .whileUnlocked
        try change(filesOf: tasks, .edit(SecretEdit(accessClass: accessClass))) {
            $0.isProtected != isProtected
        }
    }

    /// Moves the files of removed tasks to the removed files, in one step.
    package func remove(filesOf tasks: [TaskID]) throws {
        try change(filesOf: tasks, .remove(permanently: false)) { _ in true }
    }

    private func change(
        filesOf tasks: [TaskID], _ action: SecretChange.Action, where isMeant: (StoredFile) -> Bool
    ) throws {
        let changes = try files(of: tasks).filter(isMeant).map { file in
            let name = try SecretName(service: SecretName.fileService, account: file.id)
            return SecretChange(name, expecting: nil, action)
        }
        if !changes.isEmpty { try secrets.change(changes) }
    }

    /// The files of tasks. Those of many tasks are found in the list of all files.
    private func files(of tasks: [TaskID]) throws -> [StoredFile] {
        if tasks.count == 1 { return try files.files(ofTask: tasks[0].text) }
        let ids = Set(tasks.map(\.text))
        return tasks.isEmpty
            ? [] : try files.list(.name).filter { $0.task.map(ids.contains) == true }
    }

    /// Restores the files that were removed with tasks, at this time or later.
    ///
    /// - Returns: The names of the files that stay removed because the name is in use.
    package func bringBack(
        filesOf tasks: [TaskID], removedFrom time: PointInTime
    ) throws -> [String] {
        if tasks.isEmpty { return [] }
        let ids = Set(tasks.map(\.text))
        var left: [String] = []
        for earlier in try files.removed()
        where earlier.file.task.map(ids.contains) == true && earlier.moved >= time.milliseconds {
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
