internal import CPostgreSQL
internal import Platform

extension PostgreSQLConnection {
    /// Waits until the connection is established. The corresponding C function is `PQconnectPoll`.
    func establish(isLocal: Bool) throws {
        let handle = unsafe try open()
        let deadline = BootTime.now + options.timeout
        // Report the SQLSTATE of server failures only; other messages are ignored.
        _ = unsafe functions.pointee.PQsetErrorVerbosity(
            handle, UInt32(cpostgresql_errors_sqlstate))
        _ = unsafe functions.pointee.PQsetNoticeReceiver(handle, cpostgresql_ignore_notice, nil)
        var stage = unsafe functions.pointee.PQstatus(handle)
        if stage == UInt32(cpostgresql_connection_bad) { throw DatabaseError.noServer }
        var progress = UInt32(cpostgresql_polling_writing)
        while progress != UInt32(cpostgresql_polling_ok) {
            if progress == UInt32(cpostgresql_polling_failed) {
                throw connectionFailure(at: stage, isLocal: isLocal)
            }
            let isReading = progress == UInt32(cpostgresql_polling_reading)
            try wait(for: isReading ? .input : .output, until: deadline)
            stage = unsafe functions.pointee.PQstatus(handle)
            progress = unsafe functions.pointee.PQconnectPoll(handle)
        }
        guard unsafe functions.pointee.PQsetnonblocking(handle, 1) == 0 else {
            throw DatabaseError.connectionLost
        }
    }

    /// Why connecting failed. libpq reports only text, so derive it from the last state and the SQLSTATE at the end of the text.
    private func connectionFailure(at stage: UInt32, isLocal: Bool) -> DatabaseError {
        if unsafe functions.pointee.PQconnectionNeedsPassword(handle) != 0 {
            return .passwordMissing
        }
        if let state = unsafe functions.pointee.PQerrorMessage(handle).map({
            unsafe Self.lastState(in: String(cString: $0))
        }) ?? nil {
            return DatabaseError(refused: state)
        }
        return switch Int(stage) {
        // libpq checks the server's user before it sends anything.
        case cpostgresql_connection_made where isLocal: .otherUser
        case cpostgresql_connection_ssl_startup: .notSecure
        case cpostgresql_connection_awaiting_response where !isLocal: .notAuthenticated
        default: .noServer
        }
    }

    /// The SQLSTATE at the end of the last line that has one: `… FATAL:  28P01`. A later line may name the password file.
    private static func lastState(in message: String) -> SQLState? {
        for line in message.split(separator: "\n").reversed() {
            let bytes = line.utf8
            guard bytes.count > 7, bytes.dropLast(5).suffix(2).elementsEqual([0x20, 0x20]) else {
                continue
            }
            if let state = SQLState(rawValue: String(line.suffix(5))) { return state }
        }
        return nil
    }

    /// Sets timeouts, and settings that give statements the same meaning on every server. A timeout of zero would mean none.
    func configure() throws {
        try run(
            script: """
                SET statement_timeout = \(options.timeout.roundedMilliseconds);
                SET lock_timeout = \(max(options.lockTimeout.roundedMilliseconds, 1));
                SET idle_in_transaction_session_timeout = \(options.idleTimeout.roundedMilliseconds);
                SET standard_conforming_strings = on;
                SET search_path = pg_catalog, pg_temp;
                SET row_security = off;
                SET default_transaction_read_only = off;
                SET client_min_messages = error;
                SELECT set_config('synchronous_commit', 'on', false)
                    WHERE current_setting('synchronous_commit') = 'off';
                """)
    }
}
