import Platform
import Synchronization
import Testing

@testable import VaultAgent

/// The one client of an agent that may wait for a finger.
struct FingerTurnTests {
    @Test func anotherIsRefusedWithTheNameOfTheOneThatWaits() throws {
        let turn = FingerTurn { _ in false }
        try turn.begin("notes", 7, 0, SystemPipe())
        #expect {
            try turn.begin("mail", 8, 0, SystemPipe())
        } throws: { error in
            guard case AgentError.finger(.asked, "notes, process 7") = error else { return false }
            return true
        }
        turn.end()
        try turn.begin("mail", 8, 0, SystemPipe())
    }

    /// Giving the reader back takes fprintd a moment: a command that is started after Ctrl-C need not know.
    @Test func theNextWaitsForOneThatGaveUp() throws {
        let next = Monitor<(hasLooked: Bool, outcome: Result<Void, any Error>?)>((false, nil))
        let turn = FingerTurn { client in
            next.update { $0.hasLooked = true }
            return client == 3
        }
        try turn.begin("notes", 7, 3, SystemPipe())
        let isStarted = DetachedThread.start {
            let result = Result { try turn.begin("notes", 8, 4, SystemPipe()) }
            next.update { $0.outcome = result }
        }
        try #require(isStarted)
        next.wait { $0.hasLooked || $0.outcome != nil ? () : nil }
        turn.end()
        try next.wait { $0.outcome }?.get()
    }
}
