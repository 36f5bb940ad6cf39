extension AgentClient {
    /// Verifies the owner of the unlocked vault by a finger on the reader.
    ///
    /// - Parameter wait: Says what the person has to know, and waits until this descriptor is readable; returns `false` if the person wants
    ///   another way, which ends the scan.
    /// - Returns: The session; nil if the person wants another way.
    /// - Throws: `AgentError.finger`; `vault(.store(.locked))`; the error of `wait`.
    package func verifyByFinger(
        _ wait: (FingerPrompt, Int32) throws -> Bool
    ) throws -> AgentStatus? {
        // The error that ended the wait on this side; nil if the person wants another way.
        var ending: (any Error)??
        do {
            return try use { connection in
                try connection.ask(VerifyByFingerRequest()) { prompt in
                    do {
                        if try !wait(prompt, connection.descriptor) { ending = .some(nil) }
                    } catch {
                        ending = .some(error)
                    }
                    // Closes the connection, which ends the scan.
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
