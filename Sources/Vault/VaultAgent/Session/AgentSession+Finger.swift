internal import Platform
internal import SecureStorage
internal import Synchronization
internal import VaultCore

// Verification by a finger on the reader.
extension AgentSession {
    /// How many other fingers turn the finger off.
    static let mostOtherFingers = 3
    /// How long the reader waits for a finger.
    static let fingerPatience: Duration = .seconds(30)

    /// What a finger can do now.
    func fingerState(_ open: Open) -> FingerState {
        guard FingerprintReader.isSupported, open.limits.isOn(.verifyWithFingerprint) else {
            return .off
        }
        guard open.wantsFinger else { return .turnedOff }
        return open.isVerified || open.vault.canResumeVerification ? .on : .needsVerification
    }

    /// Waits for the owner's finger, and begins a new verification.
    ///
    /// - Parameters:
    ///   - client: The socket of the client that asks: it gives up by closing it.
    ///   - show: Gets what the person has to know.
    /// - Throws: `AgentError.finger`; `locked`, also after a lock meanwhile; the error of `show`.
    func verifyByFinger(asking client: Int32, show: (FingerPrompt) throws -> Void) throws {
        let open = try refreshed()
        try requireFinger(open)
        let process = PeerUser.process(client)
        let program = process.flatMap(PeerUser.program) ?? ""
        let wake = try SystemPipe(isBlocking: false)
        try fingers.begin(program, process, client, wake)
        defer { fingers.end() }
        // A lock wakes only a client that waits.
        guard state.withLock({ $0.open?.vault === open.vault }) else {
            throw SecureStoreError.locked
        }
        // The finger of another client may have turned it off meanwhile.
        try requireFinger(refreshed())
        func prompt(_ reason: FingerPrompt.Reason) throws {
            try show(
                FingerPrompt(reason: reason, process: UInt32(process ?? 0), program: program))
        }

        let reader = try FingerprintReader()
        let deadline = ContinuousClock.now + Self.fingerPatience
        try prompt(.touch)
        while true {
            switch reader.next() {
            case nil: try wait(for: reader, open, client, wake, before: deadline)
            case .match:
                // A stopped agent takes no answer of long ago.
                guard ContinuousClock.now < deadline else { throw FingerError.timeout }
                return try admitFinger(to: open)
            case .noMatch:
                try noteOtherFinger(open)
                try reader.again()
                try prompt(.notRecognised)
            case .retry: try prompt(.notRead)
            case .failed(let error): throw error
            }
        }
    }

    private func requireFinger(_ open: Open) throws {
        switch fingerState(open) {
        case .on: return
        case .off: throw FingerError.off
        case .turnedOff: throw FingerError.turnedOff
        case .needsVerification: throw FingerError.needsVerification
        }
    }

    /// Waits for the reader. The corresponding C function is `poll`.
    private func wait(
        for reader: FingerprintReader, _ open: Open, _ client: Int32, _ wake: SystemPipe,
        before deadline: ContinuousClock.Instant
    ) throws {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { throw FingerError.timeout }
        var timeout = Int32(left.milliseconds + 1)
        if reader.pollTimeout >= 0 { timeout = min(timeout, reader.pollTimeout) }
        var requests = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake.reader, events: Int16(POLLIN), revents: 0),
            pollfd(fd: reader.descriptor, events: reader.pollEvents, revents: 0),
        ]
        _ = unsafe poll(&requests, nfds_t(requests.count), timeout)
        // The client sends nothing before its answer, so it is gone. Another finger before that counts, as it may know.
        if requests[0].revents != 0 {
            for _ in 0..<16 {
                guard case .noMatch? = reader.next() else { continue }
                try noteOtherFinger(open)
                break
            }
            throw AgentError.connectionLost
        }
        if requests[1].revents != 0 { throw SecureStoreError.locked }
    }

    /// Begins a new verification, if the session is still the one that was asked for, and still wants fingers.
    private func admitFinger(to asked: Open) throws {
        let open = try refreshed()
        guard open.vault === asked.vault else { throw SecureStoreError.locked }
        try requireFinger(open)
        guard try open.vault.resumeVerification() else { throw FingerError.needsVerification }
        guard noteProof(of: open) else { throw SecureStoreError.locked }
        state.withLock { $0.open?.otherFingers = 0 }
        // Last: the folder may be slow, and the limits of the verification must hold before.
        try open.vault.logVerification(of: FingerState.useID)
    }

    private func noteOtherFinger(_ open: Open) throws {
        let count = state.withLock { state -> Int in
            guard state.open?.vault === open.vault else { return 0 }
            state.open?.otherFingers += 1
            return state.open?.otherFingers ?? 0
        }
        guard count >= Self.mostOtherFingers else { return }
        open.vault.wipeSuspendedKey()
        throw FingerError.turnedOff
    }
}

/// The one client of an agent that may wait for a finger. Thread-safe.
final class FingerTurn: Sendable {
    private struct Waiting {
        let program: String
        let process: Int32?
        let client: Int32
        let wake: SystemPipe

        var name: String { program + (process.map { ", process \($0)" } ?? "") }
    }

    /// How long a client that gave up may take to give the reader back.
    private static let patience: Duration = .seconds(10)

    private let waiting = Monitor<Waiting?>(nil)
    private let isGone: @Sendable (Int32) -> Bool

    /// Makes a turn; tests replace the look whether the client at a socket is gone.
    init(isGone: @escaping @Sendable (Int32) -> Bool = { platform_has_ended($0) != 0 }) {
        self.isGone = isGone
    }

    /// Lets a client wait, and wakes it by ``interrupt()``. Waits itself for a client that gave up and still has the reader.
    ///
    /// - Throws: ``AgentError/finger(_:by:)`` with the program that waits already.
    func begin(
        _ program: String, _ process: Int32?, _ client: Int32, _ wake: SystemPipe
    ) throws {
        var other = ""
        let hasBegun = waiting.wait(until: .now + Self.patience) { waiting -> Bool? in
            if let earlier = waiting {
                other = earlier.name
                return isGone(earlier.client) ? nil : false
            }
            waiting = Waiting(program: program, process: process, client: client, wake: wake)
            return true
        }
        guard hasBegun == true else { throw AgentError.finger(.asked, by: other) }
    }

    /// The client waits no longer.
    func end() { waiting.update { $0 = nil } }

    /// Ends the wait: the vault is locked.
    func interrupt() { waiting.read { $0?.wake.signal() } }
}
