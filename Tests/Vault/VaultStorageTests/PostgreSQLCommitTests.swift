#if os(Linux)
    import Database
    import TestSupport
    import Testing
    import VaultStorage

    @Suite(
        "A commit whose connection is lost",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    struct PostgreSQLCommitTests {
        /// A storage through a proxy, one past it, and the proxy.
        private func with(
            timeout: Duration = .seconds(30),
            _ body: (VaultDatabase, VaultDatabase, PostgreSQLProxy) throws ->
                Void
        ) throws {
            try withPostgreSQLProxy { direct, through, proxy in
                let direct = try VaultDatabase.createServer(at: direct)
                try direct.write { try $0.insertState([1]) }
                let storage = try VaultDatabase.openServer(
                    at: through, mode: .readWrite, timeout: timeout)
                defer {
                    storage.close()
                    direct.close()
                }
                try body(storage, direct, proxy)
            }
        }

        private func change(_ storage: VaultDatabase) -> DatabaseError? {
            storageError {
                try storage.write { writer in
                    #expect(try writer.replaceState([1], with: [2]))
                    try writer.insertItem(.sample(1))
                }
            }
        }

        @Test("is known to have happened by the state that is there")
        func committed() throws {
            try with { storage, direct, proxy in
                proxy.set(.cutAfterCommit)
                #expect(change(storage) == nil)
                let content = try direct.everything()
                #expect(content.state == [2] && content.items == [.sample(1)])
                let isReplaced = try storage.write { try $0.replaceState([2], with: [3]) }
                #expect(isReplaced)
            }
        }

        @Test("is known not to have happened by the state that is there")
        func uncommitted() throws {
            try with { storage, direct, proxy in
                proxy.set(.cutBeforeCommit)
                #expect(change(storage) == .unreachable(reason: "the connection was lost"))
                let content = try direct.everything()
                #expect(content.state == [1] && content.items == [])
                #expect(change(storage) == nil)
            }
        }

        @Test("is known not to have happened when the server never got it")
        func held() throws {
            try with(timeout: .seconds(10)) { storage, direct, proxy in
                proxy.set(.holdCommit)
                #expect(change(storage) == .unreachable(reason: "the connection was lost"))
                let content = try direct.everything()
                #expect(content.state == [1] && content.items == [])
            }
        }

        @Test("is waited for when it arrives after the client has given up")
        func delayed() throws {
            try with(timeout: .seconds(10)) { storage, direct, proxy in
                proxy.set(.delayCommit)
                let error = change(storage)
                #expect(error == nil)
                let content = try direct.everything()
                #expect(content.state == [2] && content.items == [.sample(1)])
            }
        }

        @Test("is not waited for when it is interrupted", .timeLimit(.minutes(60)))
        func interrupted() throws {
            // Longer than the test may take.
            try with(timeout: .seconds(3_600)) { storage, _, proxy in
                proxy.set(.holdCommit)
                storage.interrupt()
                #expect(change(storage) != nil)
            }
        }

        @Test("is not known when nobody can be asked")
        func unknown() throws {
            try with(timeout: .seconds(10)) { storage, direct, proxy in
                proxy.set(.cutAfterCommitForGood)
                #expect(change(storage) == .outcomeUnknown)
                let content = try direct.everything()
                #expect(content.state == [2] && content.items == [.sample(1)])
            }
        }

        @Test("is not known when another machine has written since", arguments: [true, false])
        func overtaken(isCommitted: Bool) throws {
            try with { storage, direct, proxy in
                proxy.set(isCommitted ? .cutAfterCommit : .cutBeforeCommit) {
                    try? direct.write { writer in
                        let state = try writer.state() ?? []
                        _ = try writer.replaceState(state, with: [9])
                    }
                }
                #expect(change(storage) == .outcomeUnknown)
                let content = try direct.everything()
                #expect(content.state == [9])
                #expect(content.items == (isCommitted ? [.sample(1)] : []))
            }
        }

        @Test("is not known when it did not change the state")
        func withoutState() throws {
            try with { storage, _, proxy in
                proxy.set(.cutAfterCommit)
                let error = storageError { try storage.write { try $0.putHeader([1]) } }
                #expect(error == .outcomeUnknown)
            }
        }
    }
#endif
