internal import Platform
internal import SecretMemory
internal import TextCoding
internal import VaultAgent
internal import VaultCore

// Verification with a fingerprint, through the agent.
extension VaultAccess {
    /// Offers the fingerprint reader to a person before the passphrase prompt.
    ///
    /// - Returns: Whether a finger has verified the owner; if not, the caller asks for the
    ///   passphrase.
    /// - Throws: The error of the agent or the terminal.
    func verifyByOfferedFinger(_ agent: AgentClient) throws -> Bool {
        // A passphrase file or another kind of secret is an explicit choice of the person.
        guard owner.canAnswer, !owner.hasPassphraseFile, options.openingKind == .passphrase,
            try agent.status().finger == .on
        else { return false }
        do {
            let terminal = try owner.passphrases()
            do {
                let status = try agent.verifyByFinger { prompt, descriptor in
                    try !terminal.waitForReturn(prompt.line) { Self.isReadable(descriptor) }
                }
                return status != nil
            } catch let error as AgentError {
                guard case .finger = error else { throw error }
                try terminal.say(
                    "\(Application.program): error: \(errors.failure(error).message)")
                return false
            }
        } catch let error as InputError {
            throw Failure(error, reading: "the passphrase")
        }
    }

    /// Waits briefly for an answer. The corresponding C function is `poll`.
    private static func isReadable(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 50) != 0
    }
}

extension FingerPrompt {
    /// The prompt. It names the requesting program, because every program of the user can ask.
    fileprivate var line: String {
        let process = process == 0 ? "" : "process \(self.process)"
        let asking =
            program.isEmpty
            ? process : program + (process.isEmpty ? "" : " (\(process))")
        let wanted =
            switch reason {
            case .touch:
                "Touch the fingerprint reader" + (asking.isEmpty ? "" : " for " + asking)
            case .notRecognised: "The finger was not recognised: touch the reader again"
            case .notRead: "The finger was not read well: touch the reader again"
            }
        return wanted + ", or press Enter for the passphrase"
    }
}

extension FingerState {
    /// The state as text.
    package var text: String {
        switch self {
        case .off: "off"
        case .on: "on"
        case .turnedOff: "turned off until the next unlock: three fingers were not recognised"
        case .needsVerification: "on after the next verification"
        }
    }

    /// The state in JSON.
    package var code: String {
        switch self {
        case .off: "off"
        case .on: "on"
        case .turnedOff: "turned_off"
        case .needsVerification: "needs_verification"
        }
    }
}
