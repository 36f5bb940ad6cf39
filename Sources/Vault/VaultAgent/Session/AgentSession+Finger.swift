internal import Platform
internal import SecureStorage
internal import Synchronization
internal import VaultCore

// Verification by a fingerprint.
extension AgentSession {
    /// The number of mismatches that disables the fingerprint.
    static let mostOtherFingers = 3
    /// The time limit of a scan.
    static let fingerPatience: Duration = .seconds(30)

    /// The current state of the fingerprint.
    func fingerState(_ open: Open) -> FingerState {
        guard FingerprintReader.isSupported, open.limits.isOn(.verifyWithFingerprint) else {
            return .off
        }
        guard open.wantsFinger else { return .turnedOff }
        return open.isVerified || open.vault.canResumeVerification ? .on : .needsVerification
    }

    /// Waits for the owner's finger and begins a new verification.
    ///
    /// - Parameters:
    ///   - client: The socket of the requesting client, which cancels by closing it.
    ///   - show: Receives the prompt for the person.
    /// - Throws: `AgentError.finger`; `locked`, including a lock during the wait; the error of
    ///   `show`.
    func verifyByFinger(asking client: Int32, show: (FingerPrompt) throws -> Void) throws {
        let open = try refreshed()
        try requireFinger(open)
        let process = PeerUser.process(client)
        let program = process.flatMap(PeerUser.program) ?? ""
        let wake = try SystemPipe(isBlocking: false)
        try fingers.begin(program, process, client, wake)
        defer { fingers.end() }
        // A lock wakes only a waiting client.
        guard state.withLock({ $0.open?.vault === open.vault }) else {
            throw SecureStoreError.locked
        }
        // Another client's scan may have disabled the fingerprint in the meantime.
        try requireFinger(refreshed())
        func prompt(_ reason: FingerPrompt.Reason) throws {
            try show(
                FingerPrompt(reason: reason, process: UInt32(process ?? 0), program: program))
        }

        let reader = try FingerprintReader()
        let deadline = BootTime.now + Self.fingerPatience
        try prompt(.touch)
        while true {
            switch reader.next() {
            case nil: try wait(for: reader, open, client, wake, before: deadline)
            case .match:
                // An agent that was stopped must not accept an old answer.
                guard BootTime.now < deadline else { throw FingerError.timeout }
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
        before deadline: BootTime
    ) throws {
        let left = BootTime.now.duration(to: deadline)
        guard left > .zero else { throw FingerError.timeout }
        var timeout = Int32(left.milliseconds + 1)
        if reader.pollTimeout >= 0 { timeout = min(timeout, reader.pollTimeout) }
        var requests = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake.reader, events: Int16(POLLIN), revents: 0),
            pollfd(fd: reader.descriptor, events: reader.pollEvents, revents: 0),
        ]
        _ = unsafe poll(&requests, nfds_t(requests.count), timeout)
        // The client sends no bytes before its answer, so it has disconnected. A mismatch before
        // that counts, because the client may know of it.
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

    /// Begins a new verification, if the same session is open and its setting is still on.
    private func admitFinger(to asked: Open) throws {
        let open = try refreshed()
        guard open.vault === asked.vault else { throw SecureStoreError.locked }
        try requireFinger(open)
        guard try open.vault.resumeVerification() else { throw FingerError.needsVerification }
        guard noteProof(of: open) else { throw SecureStoreError.locked }
        state.withLock { $0.open?.otherFingers = 0 }
        // The log comes last: the folder may be slow, and the limits of the verification must apply
        // first.
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

/// The client of an agent that waits for a finger; only one at a time. Thread-safe.
final class FingerTurn: Sendable {
    private struct Client {
        let program: String
        let process: Int32?
        let socket: Int32
        let wake: SystemPipe

        var name: String { program + (process.map { ", process \($0)" } ?? "") }
    }

    /// The time in which a cancelled client must release the reader.
    private static let timeLimit: Duration = .seconds(10)

    private let waiting = Monitor<Client?>(nil)
    private let isGone: @Sendable (Int32) -> Bool

    /// Creates a turn; tests replace the check for a disconnected client.
    init(isGone: @escaping @Sendable (Int32) -> Bool = { platform_has_ended($0) != 0 }) {
        self.isGone = isGone
    }

    /// Lets a client wait, and wakes it by ``interrupt()``. It first waits for a cancelled client
    /// to release the reader.
    ///
    /// - Throws: ``AgentError/finger(_:by:)`` with the program that is already waiting.
    func begin(
        _ program: String, _ process: Int32?, _ client: Int32, _ wake: SystemPipe
    ) throws {
        var other = ""
        let hasBegun = waiting.wait(until: .now + Self.timeLimit) { waiting -> Bool? in
            if let earlier = waiting {
                other = earlier.name
                return isGone(earlier.socket) ? nil : false
            }
            waiting = Client(program: program, process: process, socket: client, wake: wake)
            return true
        }
        guard hasBegun == true else { throw AgentError.finger(.asked, by: other) }
    }

    /// Ends the turn of the client.
    func end() { waiting.update { $0 = nil } }

    /// Ends the wait because the vault was locked.
    func interrupt() { waiting.read { $0?.wake.signal() } }
}
