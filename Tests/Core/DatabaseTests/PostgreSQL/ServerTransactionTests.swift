@testable import Database
import Testing
import TestSupport

@Suite(
    "A transaction on a server",
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct ServerTransactionTests {
    /// Two connections to a database with a table `public.numbers` that has the number 1.
    private func withTwo(
        _ body: (PostgreSQLConnection, PostgreSQLConnection) throws -> Void
    ) throws {
        try withPostgreSQLDatabase { address in
            let options = PostgreSQLOptions(lockTimeout: .milliseconds(100))
            let first = try PostgreSQLConnection(to: PostgreSQLAddress(address), options: options)
            let second = try PostgreSQLConnection(to: PostgreSQLAddress(address), options: options)
            try first.run(
                script: "CREATE TABLE public.numbers AS SELECT 1::bigint AS number")
            try body(first, second)
        }
    }

    private let sum = "SELECT sum(number)::bigint FROM public.numbers"
    private let add = "INSERT INTO public.numbers VALUES (10)"

    @Test("for reading sees one state and changes nothing")
    func reading() throws {
        try withTwo { first, second in
            try first.begin(.reading)
            #expect(try first.number(sum) == 1)
            try second.run(script: add)
            #expect(try first.number(sum) == 1)
            expectFailure(DatabaseError(server: .readOnlyTransaction)) {
                try first.run(script: add)
            }
            try first.rollback()
            #expect(try first.number(sum) == 11)
        }
    }

    @Test("that locks a table sees what the one before committed, and excludes others")
    func locking() throws {
        try withTwo { first, second in
            try first.begin(.writingSnapshot, locking: "public.numbers")
            expectFailure(DatabaseError(server: .lockNotAvailable)) {
                try second.begin(.writingSnapshot, locking: "public.numbers")
            }
            #expect(!second.isInTransaction)
            expectFailure(DatabaseError(server: .lockNotAvailable)) { try second.run(script: add) }
            #expect(try second.number(sum) == 1)
            try first.run(script: add)
            try first.commit()
            try second.begin(.writingSnapshot, locking: "public.numbers")
            #expect(try second.number(sum) == 11)
            try second.commit()
        }
    }

    @Test("without a lock is told that another one was faster")
    func serialization() throws {
        try withTwo { first, second in
            try first.begin(.writingSnapshot)
            #expect(try first.number(sum) == 1)
            try second.run(script: "UPDATE public.numbers SET number = 2")
            expectFailure(DatabaseError(server: .serializationFailure)) {
                try first.run(script: "UPDATE public.numbers SET number = 3")
            }
            try first.rollback()
        }
    }

    @Test("that failed is not committed, and commit says so")
    func failedCommit() throws {
        try withTwo { first, second in
            try first.begin(.writing)
            try first.run(script: add)
            expectFailure(DatabaseError(server: try #require(SQLState(rawValue: "42703")))) {
                try first.run(script: "SELECT missing")
            }
            #expect(first.isInTransaction)
            expectFailure(DatabaseError(server: .failedTransaction)) { try first.commit() }
            #expect(!first.isInTransaction)
            #expect(try second.number(sum) == 1)
        }
    }

    @Test("that nobody ends is ended with the connection")
    func closing() throws {
        try withTwo { first, second in
            try first.begin(.writing)
            try first.run(script: add)
            first.close()
            #expect(try second.number(sum) == 1)
        }
    }

    @Test("in which nothing happens is ended by the server after a while")
    func idle() throws {
        try withPostgreSQLDatabase { address in
            let options = PostgreSQLOptions(idleTimeout: .milliseconds(50))
            let first = try PostgreSQLConnection(to: PostgreSQLAddress(address), options: options)
            let second = try PostgreSQLConnection(to: PostgreSQLAddress(address))
            try first.run(script: "CREATE TABLE public.numbers (number bigint)")
            try first.begin(.writing, locking: "public.numbers")
            // Waits for the lock of the first, which the server takes away.
            try second.begin(.writing, locking: "public.numbers")
            expectFailure(.connectionLost) { try first.commit() }
        }
    }
}
