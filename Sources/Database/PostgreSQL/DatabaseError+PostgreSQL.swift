extension DatabaseError {
    /// Translates every failure of a server.
    package init(_ error: PostgreSQLError) {
        self =
            switch error {
            case .libraryMissing: .unreachable(reason: "libpq is not installed")
            case .unreachable: .unreachable(reason: "no server answers at the address")
            case .notSecure:
                .unreachable(reason: "the server's certificate is not trusted, or it has none")
            case .passwordMissing:
                .unreachable(reason: "the server wants a password, and .pgpass has none for it")
            case .refused(.invalidPassword): .unreachable(reason: "the password is wrong")
            case .refused(.undefinedDatabase):
                .unreachable(reason: "the server has no such database")
            case .refused(.tooManyConnections), .server(.tooManyConnections):
                .unreachable(reason: "the server has too many clients")
            case .refused(let state):
                .unreachable(reason: "the server does not let us in (\(state.rawValue))")
            case .timedOut: .unreachable(reason: "the server does not answer in time")
            case .connectionLost: .unreachable(reason: "the connection was lost")
            case .server(let state): Self.refusal(state)
            case .mismatch, .tooLarge:
                .damaged(reason: "a column has another type or range than it should")
            case .closed: .closed
            case .misuse: .inputOutput(operation: "PostgreSQL", code: 0)
            case .outOfMemory: .outOfMemory
            }
    }

    private static func refusal(_ state: SQLState) -> DatabaseError {
        switch state {
        case .lockNotAvailable, .serializationFailure, .deadlock, .queryCancelled: .busy
        case .readOnlyTransaction: .readOnly
        case .insufficientPrivilege:
            .unreachable(reason: "the server's user may not do that in this database")
        case .diskFull: .full
        case .outOfMemory: .outOfMemory
        case .undefinedTable, .undefinedSchema:
            .damaged(reason: "the tables are not as they should be")
        default:
            switch state.category {
            case "22", "23", "42": .damaged(reason: "the tables are not as they should be")
            case "XX": .damaged(reason: "the server found damaged data")
            default: .unreachable(reason: "the server failed (\(state.rawValue))")
            }
        }
    }
}
