public import SecretMemory
public import SecureStorage

extension AgentClient {
    /// Reads many secrets; see ``SecureStore/readEach(_:_:)``. The requests are pipelined.
    public func readEach(
        _ names: [SecretName],
        _ body: (Int, SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Void
    ) throws(SecureStoreError) {
        var place = 0
        while place < names.count {
            var failure: SecureStoreError?
            let first = place
            place += try storing { (connection) throws(AgentError) in
                try connection.readSome(names[first...]) { (place, item, value) in
                    if failure != nil { return }
                    do throws(SecureStoreError) {
                        try body(place, item, value)
                    } catch {
                        failure = error
                    }
                }
            }
            if let failure { throw failure }
        }
    }
}
