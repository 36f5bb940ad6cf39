extension AgentClient {
    /// Verifies the owner of the unlocked vault by a fingerprint.
    ///
    /// - Parameter wait: Shows the prompt and waits until this descriptor is readable. It returns
    ///   `false` if the person chooses another method, which ends the scan.
    /// - Returns: The session; nil if the person chooses another method.
    /// - Throws: `AgentError.finger`; `vault(.store(.locked))`; the error of `wait`.
    package func verifyByFinger(
        _ wait: (FingerPrompt, Int32) throws -> Bool
    ) throws -> AgentStatus? {
        // The error that ended the wait in this process; nil if the person chooses another method.
        var ending: (any Error)??
        do {
            return try use { connection in
                try connection.ask(VerifyByFingerRequest()) { prompt in
                    do {
                        if try !wait(prompt, connection.descriptor) { ending = .some(nil) }
                    } catch {
                        ending = .some(error)
                    }
                    // The error closes the connection, which ends the scan.
                    if ending != nil { throw AgentError.connectionLost }
                }
            }
        } catch {
            guard let ending else { throw error }
            if let error = ending { throw error }
            return nil
        }
    }
}
