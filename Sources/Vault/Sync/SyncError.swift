/// Why an operation of sync failed. No case carries a secret.
package enum SyncError: Error, Sendable, Hashable {
    /// A member's stamps left no later one for this device.
    case clockExhausted
    /// One record exceeds a segment.
    case recordTooLarge
    /// A change exceeds 64 segments.
    case changeTooLarge
    /// No epoch is known under which this device may seal.
    case epochMissing
    /// The key of a level is not there: the vault is locked, or the agent is unverified.
    case levelLocked(SyncLevel)
    /// A value of this object that a member wrote is still sealed. It must be applied before another value is written.
    case valueSealed(ObjectID)
    /// Another machine uses the id and the keys of this device: a segment under its next number is at the remote.
    case cloned(UInt64)
    /// The remote has another file under a number of this device.
    case numberOccupied(UInt64)
    /// The stored state of sync is damaged.
    case storeDamaged
}
