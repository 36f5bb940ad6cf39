internal import Platform
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import SyncMirrors
internal import SyncStorage
internal import Tasks
internal import TextCoding

// The note that a home keeps between two devices: after the end of sync, and before it joins anew.
extension SyncAccess {
    private static let largestNote = 4_194_304

    /// Notes which tasks this device has changed and not sent. A device that joins anew sends all tasks; of these it sends its own state as the
    /// newest, and of the others as old as they are, because what the group has may be newer.
    ///
    /// Without a readable list or store nothing is noted.
    func noteUnsent() throws {
        let (place, device) = (try place, try device())
        let session = SyncSession(
            place: place, device: device, connection: connection(of: device, place, nil),
            store: nil,
            keys: nil)
        guard let tasks = try? unsentTasks(session), !tasks.isEmpty else {
            return try FileSystem.remove(session.place.unsent)
        }
        try FileSystem.replace(
            session.place.unsent, with: tasks.map { $0.text + "\n" }.sorted().joined())
    }

    private func unsentTasks(_ session: SyncSession) throws -> Set<TaskID> {
        let revisions = try tasks.withTasks(.reading) {
            try $0.repository.allRevisions(after: nil).revisions
        }
        let own = session.device.id
        let removal = try knownMembership(session).state.removed[own]?.heads[own]?.number
        return try withDatabase(.list, session, creating: false) { database in
            try database.mirrorTransaction { transaction in
                // What was sent after a removal has no effect.
                let sent = min(transaction.ledger.published, removal ?? .max)
                var unsent = Set(revisions.keys)
                for counterpart in try transaction.counterparts() {
                    guard let task = counterpart.task,
                        counterpart.revision == revisions[task]?.number
                    else {
                        continue
                    }
                    let isSent = try transaction.versions(of: counterpart.object).allSatisfy {
                        $0.origin.dot.device != own || $0.origin.dot.number <= sent
                    }
                    if isSent { unsent.remove(task) }
                }
                return unsent
            }
        }
    }

    /// The tasks that a former device had changed and not sent.
    func unsent(_ place: SyncPlace) -> Set<TaskID> {
        guard let bytes = FileSystem.content(place.unsent, limit: Self.largestNote) else {
            return []
        }
        return Set(
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap {
                TaskID(String($0))
            })
    }
}
