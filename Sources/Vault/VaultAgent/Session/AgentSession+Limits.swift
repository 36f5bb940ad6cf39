internal import SecureStorage
internal import Platform
internal import VaultCore

// Begins, extends and ends the limits: the idle limit, the absolute limit and the verification window.
extension AgentSession {
    /// The current session, after a check of the limits.
    func current() throws -> Open {
        enforceLimits()
        guard let open = state.withLock({ $0.open }) else { throw SecureStoreError.locked }
        return open
    }

    /// Extends the limits by a successful use, unless the session has ended meanwhile.
    func note(_ use: Use, of open: Open, at now: Duration) {
        state.withLock { state in
            guard state.open?.vault === open.vault else { return }
            switch use {
            case .none: break
            case .plain: state.open?.times.use(isProtected: false, at: now)
            case .protected: state.open?.times.use(isProtected: true, at: now)
            }
        }
    }

    /// The kind of an operation, for the limits.
    enum Use: Sendable {
        /// An operation that extends no limit, such as a list.
        case none
        /// A use of the session.
        case plain
        /// A use of a protected secret.
        case protected

        /// A use of a secret of this class.
        init(_ accessClass: AccessClass) {
            self = accessClass == .afterVerification ? .protected : .plain
        }

        /// A use of an item.
        init(of item: SecretItem) {
            self = item.name.isInboxItem ? .none : Self(item.attributes.accessClass)
        }

        /// A change of these secrets.
        init(changing items: [SecretItem]) {
            let isProtected = items.contains { $0.attributes.accessClass == .afterVerification }
            self = isProtected ? .protected : .plain
        }
    }

    /// Ends the session or the verification if a limit has passed; otherwise does not wait for other threads.
    ///
    /// - Parameter mayWait: Whether to wait for operations on the vault before ending the
    ///   verification. Required before a use. A thread that must detect locks must not wait: an
    ///   unreachable server may block an operation for a long time.
    /// - Returns: The time of the next limit without further use, or of the next attempt; nil while
    ///   locked.
    @discardableResult
    func enforceLimits(mayWait: Bool = true) -> Duration? {
        guard let open = state.withLock({ $0.open }) else { return nil }
        let limits = open.limits
        let now = clock.now
        guard now < open.times.end(limits) else {
            lock(open)
            return nil
        }
        guard open.isVerified else { return open.times.end(limits) }
        guard now < open.times.verificationEnd(limits) else {
            let isDone = endVerification(of: open, at: now, mayWait: mayWait)
            return isDone ? open.times.end(limits) : now + Self.secondTry
        }
        return min(open.times.verificationEnd(limits), open.times.end(limits))
    }

    /// The delay before the next attempt if an operation prevented the end of a verification.
    private static let secondTry: Duration = .milliseconds(50)

    /// Wipes the key of protected secrets, or suspends it for a fingerprint, and keeps the vault
    /// unlocked.
    /// Does neither if the verification was extended in the meantime.
    ///
    /// - Returns: Whether the key is wiped.
    private func endVerification(of open: Open, at now: Duration, mayWait: Bool) -> Bool {
        let ending = state.withLock { state -> Open? in
            guard let current = state.open, current.vault === open.vault,
                now >= current.times.verificationEnd(current.limits)
            else { return nil }
            return current
        }
        // A new verification meanwhile keeps its key.
        guard let ending else { return true }
        let isSuspending = ending.wantsFinger
        guard
            open.vault.endVerification(
                number: ending.verificationCount, mayWait: mayWait, suspending: isSuspending)
        else { return false }
        openFiles.endProtected()
        let isWanted = state.withLock { state in
            guard state.open?.vault === open.vault else { return false }
            if state.open?.verificationCount == ending.verificationCount {
                state.open?.isVerified = false
            }
            return state.open?.wantsFinger == true
        }
        // The third mismatch or a setting change may have occurred before the key was suspended.
        if isSuspending, !isWanted { open.vault.wipeSuspendedKey() }
        return true
    }
}
