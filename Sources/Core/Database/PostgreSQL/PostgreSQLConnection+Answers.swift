internal import CPostgreSQL
internal import Platform

extension PostgreSQLConnection {
    /// The server's answer to a request.
    struct Answer {
        var rows: [PostgreSQLRow] = []
        var changedRows = 0
        /// The command tag, such as `INSERT 0 1`.
        var command = ""
    }

    /// Sends a request and collects the answer until the server is ready for the next request.
    ///
    /// - Parameter send: Queues the request; returns 0 on failure.
    /// - Returns: The rows and the command tag.
    /// - Throws: ``DatabaseError``; the first of several failures.
    func perform(
        _ send: (UnsafePointer<cpostgresql_library>, OpaquePointer) -> Int32
    ) throws -> Answer {
        let handle = unsafe try open()
        // One more second lets the server report its own timeout, which keeps the connection usable.
        let deadline = BootTime.now + options.timeout + .seconds(1)
        guard unsafe send(functions, handle) == 1 else { throw missingAnswer() }
        _ = unsafe functions.pointee.PQsetSingleRowMode(handle)
        try flush(until: deadline)
        var answer = Answer()
        var failure: DatabaseError?
        var size = 0
        while let result = unsafe try nextResult(until: deadline) {
            switch unsafe Int(functions.pointee.PQresultStatus(result)) {
            case cpostgresql_single_tuple:
                let row = unsafe PostgreSQLRow(result, functions)
                // Add the overhead of a row.
                size += row.size + 256
                if size > options.maximumAnswerSize {
                    close()
                    throw DatabaseError.tooLarge
                }
                answer.rows.append(row)
            case cpostgresql_tuples_ok, cpostgresql_command_ok,
                cpostgresql_empty_query:
                unsafe collect(result, in: &answer)
                unsafe functions.pointee.PQclear(result)
            default:
                let error = unsafe self.failure(of: result)
                failure = failure ?? error
                unsafe functions.pointee.PQclear(result)
                // Close the connection, because COPY and similar commands expect further input. They are never used.
                if error == .misuse { close() }
            }
            if unsafe self.handle == nil { break }
        }
        if !isOpen { throw missingAnswer() }
        if let failure { throw failure }
        return answer
    }

    /// Handles a missing answer; the connection is then unusable.
    func missingAnswer() -> DatabaseError {
        close()
        wasLost = true
        return .connectionLost
    }

    /// The corresponding C functions are `PQcmdStatus` and `PQcmdTuples`.
    private func collect(_ result: OpaquePointer, in answer: inout Answer) {
        func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String {
            guard let pointer = unsafe pointer else { return "" }
            return unsafe String(cString: pointer)
        }
        answer.command = unsafe text(functions.pointee.PQcmdStatus(result))
        answer.changedRows = unsafe Int(text(functions.pointee.PQcmdTuples(result))) ?? 0
    }

    /// The corresponding C function is `PQresultErrorField`.
    private func failure(of result: OpaquePointer) -> DatabaseError {
        guard
            unsafe functions.pointee.PQresultStatus(result)
                == UInt32(cpostgresql_fatal_error)
        else { return .misuse }
        guard
            let field = unsafe functions.pointee.PQresultErrorField(
                result, Int32(cpostgresql_field_sqlstate)),
            let state = SQLState(rawValue: unsafe String(cString: field))
        else {
            wasLost = true
            return .connectionLost
        }
        return DatabaseError(server: state)
    }
}
