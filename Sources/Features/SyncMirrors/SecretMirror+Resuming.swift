internal import SecureStorage
internal import Sync
package import SyncStorage

extension SecretMirror {
    /// Goes on where a former device of this home ended: what changed in the vault since is captured by the next ``capture()`` as a change that
    /// had not seen what the group did meanwhile, and all else becomes what the records say. Call it after `Replica.collect()`.
    ///
    /// It can be repeated until the capture is done. Secrets of which the group has no records are captured as new ones.
    ///
    /// - Parameter former: The former device's state in this chain.
    /// - Throws: The errors of the store.
    package func resume(_ former: FormerDevice) throws {
        isResuming = true
        try store.mirrorTransaction { transaction in
            let (unsent, isFirst) = try transaction.resume(former)
            for var counterpart in former.counterparts {
                let object = try transaction.mirrorObject(counterpart.object)
                if object.versions.isEmpty { continue }
                var fields: [UInt32: Stamp] = [:]
                for id in object.ids { fields.merge(unsent[id] ?? [:]) { max($0, $1) } }
                if !fields.isEmpty {
                    self.unsent[counterpart.object] = (counterpart.revision, fields)
                }
                guard isFirst else { continue }
                try transaction.mark(object, object.isMarked)
                if !counterpart.isLive {
                    // A removal that was not sent is captured again.
                    if fields[RecordField.remove.number] != nil, counterpart.created != .min {
                        counterpart.name = CounterpartPlace.moving(counterpart.object).bytes
                    }
                } else if object.base?.isRemoved == true {
                    // It was taken out of the trash here.
                    counterpart = counterpart.inTrash(nil)
                } else if !fields.isEmpty {
                    counterpart.revision = 0
                }
                try transaction.place(counterpart)
            }
        }
    }
}
