public import SecretMemory
internal import SecureStorage
public import TextCoding

/// The two passwords that the vault can hold for an account.
public enum PasswordKind: Sendable, Hashable, CaseIterable {
    /// The password that the server accepted last.
    case current
    /// The new password of a change that the server has not confirmed.
    case pending
}

private typealias Key = CachedPassword.Key

/// The stored credentials of an account, as read at the start of a sign-in.
struct CachedCredentials {
    /// The treatment of a stored password by a sign-in.
    enum State {
        /// No password is stored.
        case none
        /// The sign-in tries it.
        case usable
        /// The server rejected it. It is not tried again, because the server counts each attempt as
        /// a guess.
        case rejected
        /// The server rejected it while a change may be in progress. Until the change is settled,
        /// it is neither tried nor removed.
        case unsettled
    }

    let current: CachedPassword?
    let pending: CachedPassword?
    let currentState: State
    let pendingState: State
    /// Whether this machine has a refresh token of the account.
    let hasRefreshToken: Bool
    /// The time of the read. Each response of the server is later.
    let time: PointInTime
}

extension CredentialCache {
    /// The maximum duration of a change by this machine. A busy server may delay the request until
    /// after the process has ended.
    public static let changeTime: Duration = .seconds(120)
    /// The maximum duration of a change by another machine, whose clock may differ.
    public static let foreignChangeTime: Duration = .seconds(3_600)

    /// Reads a password; nil if none is stored.
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
        return pending.isProvisionallyRejected && !isSettled(pending, at: now)
            ? .unsettled : .usable
    }

    private static func state(
        current: CachedPassword?, beside pending: CachedPassword?
    ) -> CachedCredentials.State {
        guard let current else { return .none }
        if current.isRejected { return .rejected }
        return current.rejectedBeside != nil && current.rejectedBeside == pending?.stored
            ? .unsettled : .usable
    }

    /// Whether the change to a pending password can no longer happen, so that a rejection is final.
    func isSettled(_ pending: CachedPassword, at now: PointInTime) -> Bool {
        let time = pending.machine == machine.text ? Self.changeTime : Self.foreignChangeTime
        // A time in the distant future comes from a wrong clock, and does not count.
        return pending.stored.advanced(by: time) <= now || now.advanced(by: time) <= pending.stored
    }

    /// Records that the server rejected a password, so that a sign-in does not try it again.
    ///
    /// While a change may be in progress, the record holds until the change is settled.
    public func recordRejection(
        _ kind: PasswordKind, _ password: CachedPassword, of account: AccountName,
        at now: PointInTime
    ) throws {
        var extra = [try rejectionAttribute(kind, password, of: account, at: now)]
        extra.append(.time(Key.time, password.stored))
        if let machine = password.machine {
            extra.append(ExtraAttribute(key: Key.machine, text: machine))
        }
        do {
            try store.edit(
                name(kind, account), SecretEdit(extra: extra), expecting: password.revision)
        } catch SecureStoreError.conflict {
        } catch SecureStoreError.notFound {
            // Another password was stored since then. The server has not rejected that one.
        }
    }

    private func rejectionAttribute(
        _ kind: PasswordKind, _ password: CachedPassword, of account: AccountName,
        at now: PointInTime
    ) throws -> ExtraAttribute {
        switch kind {
        case .pending:
            return .time(isSettled(password, at: now) ? Key.rejected : Key.tried, now)
        case .current:
            if let pending = try self.password(.pending, of: account), !isSettled(pending, at: now)
            {
                return .time(Key.rejectedBeside, pending.stored)
            }
            return .time(Key.rejected, now)
        }
    }
}

/// Changes of the stored passwords. Each one compares with the current item, because another
/// machine may have changed it. A rejection of the same password makes no difference, and a newer
/// password is kept.
extension CredentialCache {
    /// The result of ``savePending(_:of:at:)``.
    enum PendingResult {
        /// The password was saved.
        case saved
        /// The same password was saved before, by a change that may still be in progress.
        case savedAgain
        /// Another password is pending, for a change that may still be in progress.
        case conflict
    }

    /// Stores a new password before the server gets it. A pending password that the server may
    /// still accept is kept.
    func savePending(
        _ password: borrowing SecretBytes, of account: AccountName, at now: PointInTime
    ) throws -> PendingResult {
        let name = name(.pending, account)
        let extra = [
            ExtraAttribute(key: Key.machine, text: machine.text), .time(Key.time, now),
        ]
        return try store.retryingConflicts {
            guard let earlier = try self.password(.pending, of: account) else {
                try store.save(password, as: name, SecretAttributes(extra: extra))
                return .saved
            }
            let isOver = isSettled(earlier, at: now)
            guard isOver || earlier.value.isEqual(to: password) else { return .conflict }
            try store.update(
                name, to: password, SecretEdit(extra: extra), expecting: earlier.revision)
            return isOver ? .saved : .savedAgain
        }
    }

    /// Stores a password that the server accepted, unless another password was stored since `known`
    /// was read.
    ///
    /// - Parameters:
    ///   - password: The accepted password.
    ///   - known: The current password before the request; nil if there was none.
    ///   - account: The account.
    ///   - now: The time.
    /// - Throws: An error of the vault.
    public func store(
        _ password: borrowing SecretBytes, over known: CachedPassword? = nil,
        of account: AccountName, at now: PointInTime
    ) throws {
        _ = try replace(known, by: password, of: account, at: now)
    }

    /// Makes a pending password the current one after the server accepted it.
    ///
    /// A password that another process stored since `known` was read is kept, because the server
    /// accepted it later.
    ///
    /// - Parameters:
    ///   - pending: The accepted password.
    ///   - known: The current password at the start of the change; nil if there was none.
    ///   - account: The account.
    ///   - now: The time.
    /// - Throws: An error of the vault.
    public func promote(
        _ pending: CachedPassword, over known: CachedPassword?, of account: AccountName,
        at now: PointInTime
    ) throws {
        guard try replace(known, by: pending.value, of: account, at: now) else { return }
        try removePending(pending, of: account)
    }

    /// Removes a pending password. A newer one is kept.
    public func removePending(_ pending: CachedPassword, of account: AccountName) throws {
        try store.retryingConflicts {
            guard let stored = try password(.pending, of: account), stored.isSame(as: pending)
            else { return }
            try store.removeIfPresent(name(.pending, account), expecting: stored.revision)
        }
    }

    /// Returns whether the vault now holds this password or a newer valid one. Otherwise the valid
    /// password is unknown.
    private func replace(
        _ known: CachedPassword?, by value: borrowing SecretBytes, of account: AccountName,
        at now: PointInTime
    ) throws -> Bool {
        let current = name(.current, account)
        let extra = [ExtraAttribute.time(Key.time, now)]
        return try store.retryingConflicts {
            guard let stored = try password(.current, of: account) else {
                // If `known` is gone, the user signed out since then and wanted the password
                // removed.
                guard known == nil else { return false }
                try store.save(value, as: current, SecretAttributes(extra: extra))
                return true
            }
            let isReplaceable =
                stored.isRejected || stored.value.isEqual(to: value)
                || known.map { stored.isSame(as: $0) } == true
            guard isReplaceable else {
                // If the old password was stored again, the order is unknown. Any other password is
                // newer.
                return known.map { stored.value.isEqual(to: $0.value) } != true
            }
            try store.update(
                current, to: value, SecretEdit(extra: extra), expecting: stored.revision)
            return true
        }
    }
}
