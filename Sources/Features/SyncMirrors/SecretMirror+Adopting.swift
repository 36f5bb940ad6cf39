internal import SecureStorage
internal import Sync
internal import SyncStorage

// An older copy of the vault that becomes the state of all devices.
extension SecretMirror {
    /// Takes the vault for the newest state: the next ``capture()`` compares each secret with its records, and what differs is a change. The next
    /// ``apply(overwriting:)`` gives the vault the earlier values that it lacks.
    ///
    /// - Throws: The errors of the store.
    package func adopt() throws {
        isAdopting = true
        try store.mirrorTransaction { transaction in
            var live: Set<ObjectID> = []
            for var counterpart in try transaction.counterparts() where counterpart.isLive {
                // Of no secret, and followed by another one.
                counterpart.revision = .max - 1
                try transaction.set(counterpart)
                live.insert(counterpart.object)
            }
            try transaction.setAdopted(live)
        }
    }

    /// Puts what the copy lacked, and so removed everywhere, into the trash of the vault, where the other devices have it. After
    /// ``apply(overwriting:)``.
    ///
    /// - Throws: `SecureStoreError`, the errors of the store.
    package func keepRemoved() throws {
        var names = Set(try secrets.list().map(\.name))
        try store.mirrorTransaction { transaction in
            for id in lacking {
                guard let state = try transaction.mirrorObject(id).state, state.isRemoved,
                    let versions = state.fields[.value], let name = SecretImage(state).name,
                    names.insert(name).inserted
                else { continue }
                defer { names.remove(name) }
                let values = versions.earlier.reversed().map(\.version) + [versions.current]
                var item: SecretItem?
                for version in values {
                    let value = try transaction.secret(of: version.key)
                    item =
                        try item.map {
                            try secrets.update(
                                name, to: value, SecretEdit(), expecting: $0.revision)
                        } ?? secrets.save(value, as: name, SecretImage(state).attributes)
                }
                guard let item else { continue }
                try secrets.remove(name, expecting: item.revision)
                try transaction.set(
                    Counterpart(id, of: item, revision: item.revision).inTrash(name))
            }
        }
        lacking = []
    }
}
