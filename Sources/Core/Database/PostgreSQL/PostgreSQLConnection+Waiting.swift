internal import CPostgreSQL
internal import Platform

extension PostgreSQLConnection {
    /// The condition for which a connection waits.
    enum Readiness {
        case input, output, either

        fileprivate var events: Int16 {
            switch self {
            case .input: Int16(POLLIN)
            case .output: Int16(POLLOUT)
            case .either: Int16(POLLIN) | Int16(POLLOUT)
            }
        }
    }

    /// Waits until the connection is readable or writable.
    ///
    /// The corresponding C functions are `PQsocket` and `poll`.
    ///
    /// - Throws: `DatabaseError.timedOut`, also after an interruption; the connection is then closed.
    func wait(
        for readiness: Readiness, until deadline: BootTime
    ) throws {
        let socket = unsafe functions.pointee.PQsocket(try open())
        guard socket >= 0 else { throw missingAnswer() }
        var request = pollfd(fd: socket, events: readiness.events, revents: 0)
        while true {
            let left = deadline - BootTime.now
            let isOver = left <= .zero || options.interruption.hasHappened
            // Limit each wait, to check for an interruption.
            let nap = min(left, .milliseconds(20)).roundedMilliseconds
            let count = isOver ? 0 : unsafe poll(&request, 1, nap)
            if count > 0 { return }
            if count == 0 {
                guard isOver else { continue }
                close()
                throw DatabaseError.timedOut
            }
            guard errno == EINTR else { throw missingAnswer() }
        }
    }

    /// Sends queued data and reads meanwhile: a server with unread answers stops reading.
    ///
    /// The corresponding C function is `PQflush`.
    func flush(until deadline: BootTime) throws {
        let handle = unsafe try open()
        while true {
            let left = unsafe functions.pointee.PQflush(handle)
            if left == 0 { return }
            guard left > 0 else { throw missingAnswer() }
            try wait(for: .either, until: deadline)
            guard unsafe functions.pointee.PQconsumeInput(handle) == 1 else {
                throw missingAnswer()
            }
        }
    }

    /// The next result; nil after the last.
    ///
    /// The corresponding C functions are `PQisBusy`, `PQconsumeInput` and `PQgetResult`.
    func nextResult(
        until deadline: BootTime
    ) throws -> OpaquePointer? {
        let handle = unsafe try open()
        while unsafe functions.pointee.PQisBusy(handle) != 0 {
            try wait(for: .input, until: deadline)
            guard unsafe functions.pointee.PQconsumeInput(handle) == 1 else { break }
        }
        return unsafe functions.pointee.PQgetResult(handle)
    }
}
