public import SecretMemory
public import SecureStorage
public import TextCoding

/// Whoever stores, promotes or drops a password compares with what the vault has then: while the server took its time another machine may
/// have marked the same password, which changes nothing, or stored a newer one, which stays.
extension CredentialCache {
    /// Stores a password that the server accepted, unless another one was stored since `known` was read, before the server was asked.
    ///
    /// - Parameters:
    ///   - password: What was accepted.
    ///   - known: The current password before the server was asked; nil if there was none.
    ///   - account: Whose.
    ///   - now: The time.
    /// - Throws: What the store throws.
    public func store(
        _ password: borrowing SecretBytes, over known: borrowing CachedPassword? = nil,
        of account: AccountName, at now: PointInTime
    ) throws(SecureStoreError) {
        _ = try replace(known, by: password, of: account, at: now)
    }

    /// Makes the pending password the current one, after the server accepted it. If somebody stored another one since `known` was read, the
    /// server accepted that later, and it stays.
    ///
    /// - Parameters:
    ///   - pending: What was accepted.
    ///   - known: The current password when the change began; nil if there was none.
    ///   - account: Whose.
    ///   - now: The time.
    /// - Throws: What the store throws.
    public func promote(
        _ pending: borrowing CachedPassword, over known: borrowing CachedPassword?,
        of account: AccountName, at now: PointInTime
    ) throws(SecureStoreError) {
        guard try replace(known, by: pending.value, of: account, at: now) else { return }
        try drop(pending, of: account)
    }

    /// Removes the pending password that was tried; one that was noted since then stays.
    public func drop(
        _ pending: borrowing CachedPassword, of account: AccountName
    ) throws(SecureStoreError) {
        while true {
            switch try password(.pending, of: account) {
            case .some(let stored) where stored.isSame(as: pending):
                do throws(SecureStoreError) {
                    return try remove(name(.pending, account), expecting: stored.revision)
                } catch .conflict {
                    continue
                }
            default: return
            }
        }
    }

    /// - Returns: Whether the vault has this password now, or one that was accepted later. If not, nobody can say which counts.
    private func replace(
        _ known: borrowing CachedPassword?, by value: borrowing SecretBytes,
        of account: AccountName, at now: PointInTime
    ) throws(SecureStoreError) -> Bool {
        let current = name(.current, account)
        let extra = [ExtraAttribute.time(Self.timeKey, now)]
        while true {
            let stored = try password(.current, of: account)
            do throws(SecureStoreError) {
                switch Self.comparison(stored, known, value) {
                case .isNewer: return true
                case .isUnclear: return false
                case .isAbsent:
                    try store.save(value, as: current, SecretAttributes(extra: extra))
                case .isReplaceable(let revision):
                    try store.update(
                        current, to: value, SecretEdit(extra: extra), expecting: revision)
                }
                return true
            } catch .conflict {
            } catch .duplicate {
            } catch .notFound {
                // Somebody else was there between the two; what there is now is looked at again.
            }
        }
    }

    private enum Comparison {
        /// There was none and is none.
        case isAbsent
        /// It is the one that was known, or the new one, or one that does not count any more.
        case isReplaceable(UInt64)
        /// Another was stored since.
        case isNewer
        /// Somebody signed out and wanted it forgotten, or the old one was accepted once more.
        case isUnclear
    }

    private static func comparison(
        _ stored: borrowing CachedPassword?, _ known: borrowing CachedPassword?,
        _ value: borrowing SecretBytes
    ) -> Comparison {
        switch stored {
        case .none:
            switch known {
            case .none: .isAbsent
            case .some: .isUnclear
            }
        case .some(let stored):
            if stored.isRejected || stored.value.isEqual(to: value) {
                .isReplaceable(stored.revision)
            } else {
                switch known {
                case .some(let known) where stored.isSame(as: known):
                    .isReplaceable(stored.revision)
                case .some(let known) where stored.value.isEqual(to: known.value): .isUnclear
                default: .isNewer
                }
            }
        }
    }
}
