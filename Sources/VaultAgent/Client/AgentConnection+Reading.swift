internal import SecretMemory
internal import SecureStorage
internal import VaultCore

extension AgentConnection {
    /// Sends requests for the first of these secrets, as many as may be in flight, and receives their answers.
    ///
    /// Receives all answers before it throws an error, so that the connection stays usable.
    ///
    /// - Parameters:
    ///   - names: At least one name.
    ///   - body: Gets the index in `names` of each secret found, its description and its value.
    /// - Returns: The number of requested secrets.
    /// - Throws: The refusal of the first unreadable secret, or the failure of the connection.
    func readSome(
        _ names: ArraySlice<SecretName>, _ body: (Int, SecretItem, borrowing SecretBytes) -> Void
    ) throws(AgentError) -> Int {
        var frames: [[UInt8]] = []
        var size = 0
        for name in names {
            let frame = AgentRequest.read(name).head
            size += frame.count + 4
            guard frames.isEmpty || size <= AgentProtocol.mostAhead else { break }
            frames.append(frame)
        }
        try sendAll(frames)
        var refusal: AgentError?
        for index in names.indices.prefix(frames.count) {
            do throws(AgentError) {
                try takeValue { item, value in
                    if refusal == nil { body(index, item, value) }
                }
            } catch .vault(.store(.notFound)) {
                continue
            } catch {
                guard error.isRefusal else { throw error }
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
        return frames.count
    }
}
