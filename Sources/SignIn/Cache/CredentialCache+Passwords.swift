public import SecretMemory
public import SecureStorage
public import TextCoding

/// Which of the two passwords that an account can have in the vault.
public enum PasswordKind: Sendable, Hashable, CaseIterable {
    /// The one that the server accepted at last.
    case current
    /// The one to which it is being changed.
    case pending
}

/// A password from the vault.
public struct CachedPassword: ~Copyable, Sendable {
    /// The password.
    public let value: SecretBytes
    /// Its revision, by which a change by somebody else is noticed.
    public let revision: UInt64
    /// The machine that began the change; nil for a current password.
    public let machine: String?
    /// When it was stored.
    public let stored: PointInTime
    /// Whether the server rejected it for good.
    let isRejected: Bool
    /// Whether the server rejected it while it could still become the password.
    let wasTried: Bool
    /// When the pending password was noted, beside which the server rejected this one.
    let rejectedBeside: PointInTime?

    /// Whether it is the same entry as another, apart from what was marked since.
    borrowing func isSame(as other: borrowing CachedPassword) -> Bool {
        machine == other.machine && stored == other.stored && value.isEqual(to: other.value)
    }
}

extension CredentialCache {
    /// For how long nobody gives up a password to which it is being changed: what was asked may still be under way, in a server that is busy
    /// and for a process that has ended.
    public static let changeTime: Duration = .seconds(120)
    /// The same for a change that another machine began, whose clock may be another.
    public static let foreignChangeTime: Duration = .seconds(3_600)

    private static let rejectedKey = "rejected"
    private static let triedKey = "tried"
    private static let besideKey = "rejected-beside"
    static let machineKey = "machine"
    static let timeKey = "time"

    /// Reads a password.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: What the store throws.
    public func password(
        _ kind: PasswordKind, of account: AccountName
    ) throws(SecureStoreError) -> CachedPassword? {
        do throws(SecureStoreError) {
            return try store.read(name(kind, account)) {
                (item, value) throws(SecureStoreError) -> CachedPassword? in
                let copy: SecretBytes
                do throws(SecretMemoryError) {
                    copy = try value.copy()
                } catch {
                    throw SecureStoreError(error)
                }
                return CachedPassword(
                    value: copy, revision: item.revision,
                    machine: item.attributes[Self.machineKey],
                    stored: item.attributes.time(Self.timeKey)
                        ?? PointInTime(milliseconds: item.modified),
                    isRejected: item.attributes[Self.rejectedKey] != nil,
                    wasTried: item.attributes[Self.triedKey] != nil,
                    rejectedBeside: item.attributes.time(Self.besideKey))
            }
        } catch .notFound {
            return nil
        }
    }

    /// Whether a pending password that the server rejects never became one, and never will.
    func maySettle(_ pending: borrowing CachedPassword, at now: PointInTime) -> Bool {
        let time = pending.machine == machine.text ? Self.changeTime : Self.foreignChangeTime
        // A time far ahead was written by a clock that was wrong, and says nothing.
        return pending.stored.advanced(by: time) <= now || now.advanced(by: time) <= pending.stored
    }

    /// Marks a password that the server rejected, so that it is not tried again by itself: for good; or, as long as a change may be under way,
    /// only until that is settled.
    public func markRejected(
        _ kind: PasswordKind, _ password: borrowing CachedPassword, of account: AccountName,
        at now: PointInTime
    ) throws(SecureStoreError) {
        var extra = [try mark(kind, password, of: account, at: now)]
        extra.append(.time(Self.timeKey, password.stored))
        if let machine = password.machine {
            extra.append(ExtraAttribute(key: Self.machineKey, text: machine))
        }
        do throws(SecureStoreError) {
            try store.edit(
                name(kind, account), SecretEdit(extra: extra), expecting: password.revision)
        } catch .conflict {
        } catch .notFound {
            // Another one was stored meanwhile, of which nobody knows anything bad.
        }
    }

    private func mark(
        _ kind: PasswordKind, _ password: borrowing CachedPassword, of account: AccountName,
        at now: PointInTime
    ) throws(SecureStoreError) -> ExtraAttribute {
        switch kind {
        case .pending:
            return .time(maySettle(password, at: now) ? Self.rejectedKey : Self.triedKey, now)
        case .current:
            switch try self.password(.pending, of: account) {
            case .some(let pending) where !maySettle(pending, at: now):
                return .time(Self.besideKey, pending.stored)
            default: return .time(Self.rejectedKey, now)
            }
        }
    }

    /// How it stands with both passwords.
    func states(
        of account: AccountName, at now: PointInTime
    ) throws(SecureStoreError) -> (
        current: CachedCredentials.Password, pending: CachedCredentials.Password
    ) {
        var noted: PointInTime?
        var pending = CachedCredentials.Password.none
        switch try password(.pending, of: account) {
        case .some(let password):
            noted = password.stored
            pending =
                password.isRejected
                ? .rejected
                : password.wasTried && !maySettle(password, at: now) ? .unsettled : .usable
        case .none: break
        }
        switch try password(.current, of: account) {
        case .some(let password) where password.isRejected: return (.rejected, pending)
        case .some(let password)
        where password.rejectedBeside != nil && password.rejectedBeside == noted:
            return (.unsettled, pending)
        case .some: return (.usable, pending)
        case .none: return (.none, pending)
        }
    }
}
