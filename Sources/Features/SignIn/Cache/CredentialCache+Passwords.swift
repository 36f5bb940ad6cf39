public import SecretMemory
internal import SecureStorage
public import TextCoding

/// One of the two passwords that the vault can have for an account.
public enum PasswordKind: Sendable, Hashable, CaseIterable {
    /// The password that the server accepted last.
    case current
    /// The password to which it is being changed.
    case pending
}

/// A password from the vault.
public final class CachedPassword: Sendable {
    /// The password.
    public let value: SecretBytes
    /// Its revision, which shows whether another process changed it.
    public let revision: UInt64
    /// The machine that began the change; nil for a current password.
    public let machine: String?
    /// When it was stored.
    public let stored: PointInTime
    /// Whether the server rejected it finally.
    let isRejected: Bool
    /// Whether the server rejected it while its change could still be in progress.
    let wasTried: Bool
    /// For a current password that the server rejected beside a pending one: when that pending one was noted.
    let rejectedBeside: PointInTime?

    fileprivate init(_ item: consuming StoredItem) {
        revision = item.revision
        machine = item.attributes[Key.machine]
        stored = item.attributes.time(Key.time) ?? PointInTime(milliseconds: item.modified)
        isRejected = item.attributes[Key.rejected] != nil
        wasTried = item.attributes[Key.tried] != nil
        rejectedBeside = item.attributes.time(Key.rejectedBeside)
        value = item.value
    }

    /// Whether both are the same entry, regardless of marks.
    fileprivate func isSame(as other: CachedPassword) -> Bool {
        machine == other.machine && stored == other.stored && value.isEqual(to: other.value)
    }
}

private enum Key {
    static let rejected = "rejected"
    static let tried = "tried"
    static let rejectedBeside = "rejected-beside"
    static let machine = "machine"
    static let time = "time"
}

/// The credentials of an account, as a sign-in finds them.
struct CachedCredentials {
    /// What a sign-in does with a saved password.
    enum State {
        /// There is none.
        case none
        /// It is tried.
        case usable
        /// The server rejected it. It is not tried again, because each attempt counts as a guess.
        case rejected
        /// The server rejected it while a change may be in progress. Until that is settled it is neither tried nor given up.
        case unsettled
    }

    let current: CachedPassword?
    let pending: CachedPassword?
    let currentState: State
    let pendingState: State
    /// Whether this machine has a refresh token of the account.
    let hasRefreshToken: Bool
    /// When the credentials were read. Every answer of the server is later.
    let time: PointInTime
}

extension CredentialCache {
    /// How long a change of this machine may be in progress: the request may wait in a busy server after its process has ended.
    public static let changeTime: Duration = .seconds(120)
    /// The same for a change of another machine, whose clock may differ.
    public static let foreignChangeTime: Duration = .seconds(3_600)

    /// Reads a password; nil if there is none.
    public func password(_ kind: PasswordKind, of account: AccountName) throws -> CachedPassword? {
        switch try store.item(name(kind, account)) {
        case .some(let item): CachedPassword(item)
        case .none: nil
        }
    }

    /// Reads the credentials of an account.
    func credentials(of account: AccountName, at now: PointInTime) throws -> CachedCredentials {
        let session = try session()
        let pending = try password(.pending, of: account)
        let current = try password(.current, of: account)
        return CachedCredentials(
            current: current, pending: pending,
            currentState: Self.state(current: current, beside: pending),
            pendingState: state(pending: pending, at: now),
            hasRefreshToken: session?.account == account && session?.hasRefreshToken == true,
            time: now)
    }

    private func state(
        pending: CachedPassword?, at now: PointInTime
    ) -> CachedCredentials.State {
        guard let pending else { return .none }
        if pending.isRejected { return .rejected }
        return pending.wasTried && !maySettle(pending, at: now) ? .unsettled : .usable
    }

    private static func state(
        current: CachedPassword?, beside pending: CachedPassword?
    ) -> CachedCredentials.State {
        guard let current else { return .none }
        if current.isRejected { return .rejected }
        return current.rejectedBeside != nil && current.rejectedBeside == pending?.stored
            ? .unsettled : .usable
    }

    /// Whether the server can no longer make the change to a pending password, so that a rejection is final.
    func maySettle(_ pending: CachedPassword, at now: PointInTime) -> Bool {
        let time = pending.machine == machine.text ? Self.changeTime : Self.foreignChangeTime
        // A time far in the future comes from a wrong clock and is ignored.
        return pending.stored.advanced(by: time) <= now || now.advanced(by: time) <= pending.stored
    }

    /// Marks a password that the server rejected, so that it is not tried again. While a change may be in progress the mark holds only until
    /// the change is settled.
    public func markRejected(
        _ kind: PasswordKind, _ password: CachedPassword, of account: AccountName,
        at now: PointInTime
    ) throws {
        var extra = [try mark(kind, password, of: account, at: now)]
        extra.append(.time(Key.time, password.stored))
        if let machine = password.machine {
            extra.append(ExtraAttribute(key: Key.machine, text: machine))
        }
        do {
            try store.edit(
                name(kind, account), SecretEdit(extra: extra), expecting: password.revision)
        } catch SecureStoreError.conflict {
        } catch SecureStoreError.notFound {
            // Another password was stored meanwhile, which the server has not rejected.
        }
    }

    private func mark(
        _ kind: PasswordKind, _ password: CachedPassword, of account: AccountName,
        at now: PointInTime
    ) throws -> ExtraAttribute {
        switch kind {
        case .pending:
            return .time(maySettle(password, at: now) ? Key.rejected : Key.tried, now)
        case .current:
            if let pending = try self.password(.pending, of: account), !maySettle(pending, at: now)
            {
                return .time(Key.rejectedBeside, pending.stored)
            }
            return .time(Key.rejected, now)
        }
    }
}

/// Changes of the passwords. Each compares with the state of the vault: while the server took its time another machine may have marked the
/// same password, which does not matter, or stored a newer one, which stays.
extension CredentialCache {
    /// The result of ``notePending(_:of:at:)``.
    enum Noted {
        /// The password was noted.
        case now
        /// The same password was noted before, for a change that may still be in progress.
        case again
        /// Another password is noted, for a change that may still be in progress.
        case not
    }

    /// Notes a password before the server is asked to change to it, unless another one is noted that the server may still accept.
    func notePending(
        _ password: borrowing SecretBytes, of account: AccountName, at now: PointInTime
    ) throws -> Noted {
        let name = name(.pending, account)
        let extra = [
            ExtraAttribute(key: Key.machine, text: machine.text), .time(Key.time, now),
        ]
        return try store.retryingConflicts {
            guard let earlier = try self.password(.pending, of: account) else {
                try store.save(password, as: name, SecretAttributes(extra: extra))
                return .now
            }
            let isOver = maySettle(earlier, at: now)
            guard isOver || earlier.value.isEqual(to: password) else { return .not }
            try store.update(
                name, to: password, SecretEdit(extra: extra), expecting: earlier.revision)
            return isOver ? .now : .again
        }
    }

    /// Stores a password that the server accepted, unless another one was stored since `known` was read.
    ///
    /// - Parameters:
    ///   - password: The accepted password.
    ///   - known: The current password before the server was asked; nil if there was none.
    ///   - account: The account.
    ///   - now: The time.
    /// - Throws: An error of the vault.
    public func store(
        _ password: borrowing SecretBytes, over known: CachedPassword? = nil,
        of account: AccountName, at now: PointInTime
    ) throws {
        _ = try replace(known, by: password, of: account, at: now)
    }

    /// Makes the pending password the current one, after the server accepted it. A password that another process stored since `known` was
    /// read stays, because the server accepted it later.
    ///
    /// - Parameters:
    ///   - pending: The accepted password.
    ///   - known: The current password when the change began; nil if there was none.
    ///   - account: The account.
    ///   - now: The time.
    /// - Throws: An error of the vault.
    public func promote(
        _ pending: CachedPassword, over known: CachedPassword?, of account: AccountName,
        at now: PointInTime
    ) throws {
        guard try replace(known, by: pending.value, of: account, at: now) else { return }
        try drop(pending, of: account)
    }

    /// Removes the pending password that was tried; one that was noted since stays.
    public func drop(_ pending: CachedPassword, of account: AccountName) throws {
        try store.retryingConflicts {
            guard let stored = try password(.pending, of: account), stored.isSame(as: pending)
            else { return }
            try store.removeIfPresent(name(.pending, account), expecting: stored.revision)
        }
    }

    /// Returns whether the vault now has this password, or one that was accepted later. If not, the valid one is unknown.
    private func replace(
        _ known: CachedPassword?, by value: borrowing SecretBytes, of account: AccountName,
        at now: PointInTime
    ) throws -> Bool {
        let current = name(.current, account)
        let extra = [ExtraAttribute.time(Key.time, now)]
        return try store.retryingConflicts {
            guard let stored = try password(.current, of: account) else {
                // If there was one, the person signed out meanwhile and wanted it forgotten.
                guard known == nil else { return false }
                try store.save(value, as: current, SecretAttributes(extra: extra))
                return true
            }
            let isReplaceable =
                stored.isRejected || stored.value.isEqual(to: value)
                || known.map { stored.isSame(as: $0) } == true
            guard isReplaceable else {
                // If the old password was stored once more, the order is unclear; any other one is newer.
                return known.map { stored.value.isEqual(to: $0.value) } != true
            }
            try store.update(
                current, to: value, SecretEdit(extra: extra), expecting: stored.revision)
            return true
        }
    }
}
