import Testing
import TestSupport
import VaultStorage

@Suite(
    "Tables that another machine is making",
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct PostgreSQLSnapshotTests {
    @Test("are not there, or are whole")
    func made() async throws {
        for _ in 0..<10 {
            try await withPostgreSQLDatabase { text in
                await onThreads(4) { number in
                    let error = storageError {
                        guard number > 0 else {
                            return try VaultDatabase.createServer(at: text).close()
                        }
                        try VaultDatabase.openServer(at: text, mode: .readOnly).close()
                    }
                    // A vault without records is none yet.
                    #expect(error == (number > 0 ? .notFound : nil))
                }
            }
        }
    }
}
