#if os(Linux)
    import Accounts
    import Database
    import Glibc
    import TestSupport
    import Testing

    @Suite(
        "A server of accounts",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    struct LostServerTests {
        @Test("that ends is an error, and is used again after its restart")
        func gone() throws {
            let server = try PostgreSQLServer()
            defer { server.stop() }
            let repository = try AccountRepository.openOrCreate(
                .server(PostgreSQLAddress(server.address())))
            defer { repository.close() }
            try repository.fill(1)
            #expect(try repository.hasToken())
            kill(server.process, SIGKILL)
            let error = databaseError { while true { _ = try repository.hasToken() } }
            guard case .unreachable? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            try server.restart()
            #expect(try repository.hasToken())
            try repository.check()
            try repository.change { try $0.insert(AccountSamples.account(2)) }
            #expect(try repository.read { try $0.accounts(after: nil, limit: 9) }.count == 2)
        }

        @Test("rolls a transaction back if it is killed")
        func killed() throws {
            let server = try PostgreSQLServer()
            defer { server.stop() }
            let repository = try AccountRepository.openOrCreate(
                .server(PostgreSQLAddress(server.address())))
            defer { repository.close() }
            try repository.fill(1)
            let before = try Everything(repository)
            let error = databaseError {
                try repository.change { writer in
                    try writer.end(AccountSamples.sessionID(1))
                    kill(server.process, SIGKILL)
                    while true { try writer.put(AccountSamples.attempts(1, last: 1)) }
                }
            }
            #expect(error == .unreachable(reason: "the connection was lost"))
            try server.restart()
            #expect(try Everything(repository) == before)
        }

        /// Runs `body` with a repository behind a proxy, one without it, and the proxy.
        private func withProxy(
            timeout: Duration = .seconds(30),
            _ body: (
                AccountRepository, AccountRepository, PostgreSQLProxy
            ) throws -> Void
        ) throws {
            try withPostgreSQLProxy { direct, through, proxy in
                let direct = try AccountRepository.openOrCreate(.server(PostgreSQLAddress(direct)))
                let repository = try AccountRepository.open(
                    .server(PostgreSQLAddress(through)), DatabaseOptions(timeout: timeout))
                defer {
                    repository.close()
                    direct.close()
                }
                try body(repository, direct, proxy)
            }
        }

        private func change(_ repository: AccountRepository) -> DatabaseError? {
            databaseError { try repository.change { try $0.insert(AccountSamples.account(1)) } }
        }

        @Test("is asked for the outcome of a commit whose answer was lost")
        func committed() throws {
            try withProxy { repository, direct, proxy in
                proxy.set(.cutAfterCommit) {
                    try? direct.change { try $0.insert(AccountSamples.account(2)) }
                }
                #expect(change(repository) == nil)
                let count = try direct.read { try $0.accounts(after: nil, limit: 9) }.count
                #expect(count == 2)
            }
        }

        @Test("is asked for the outcome of a commit that never arrived")
        func uncommitted() throws {
            try withProxy { repository, direct, proxy in
                proxy.set(.cutBeforeCommit) {
                    try? direct.change { try $0.insert(AccountSamples.account(2)) }
                }
                #expect(change(repository) == .unreachable(reason: "the connection was lost"))
                let count = try direct.read { try $0.accounts(after: nil, limit: 9) }.count
                #expect(count == 1)
                #expect(change(repository) == nil)
            }
        }

        @Test("is not asked for the outcome of a commit without changes")
        func unchanged() throws {
            try withProxy(timeout: .seconds(10)) { repository, _, proxy in
                try repository.fill(1)
                proxy.set(.cutBeforeCommit)
                let count = try repository.change { try $0.countAttempts() }
                #expect(count == 0)
            }
        }

        @Test("that cannot be asked makes the outcome of a commit unknown")
        func unknown() throws {
            try withProxy(timeout: .seconds(10)) { repository, direct, proxy in
                proxy.set(.cutAfterCommitForGood)
                #expect(change(repository) == .outcomeUnknown)
                let count = try direct.read { try $0.accounts(after: nil, limit: 9) }.count
                #expect(count == 1)
            }
        }
    }
#endif
