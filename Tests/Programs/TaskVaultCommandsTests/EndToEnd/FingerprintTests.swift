#if os(Linux)
    import Foundation
    import Platform
    import TestSupport
    import Testing

    /// Verifying with a finger: the real program, agent and fprintd, and a virtual reader.
    @Suite(.enabled(if: FingerprintReader.isWanted, FingerprintReader.reason), .waitsForProcesses)
    struct FingerprintTests {
        @Test("S9: the enrolled finger proves the owner of the device")
        func theEnrolledFingerOpens() throws {
            let finger = try FingerHome()
            #expect(try finger.state == "on")
            let session = try finger.waiting()
            #expect(
                session.screen.contains(
                    /Touch the fingerprint reader for taskvault \(process [0-9]+\), or press Enter/)
            )
            #expect(!session.screen.contains("Passphrase"))
            try finger.reader.tell("scan finger-A")
            #expect(try session.finish() == 0, "\(session.screen)")
            #expect(session.screen.hasSuffix("the protected text\r\n"))
            #expect(try finger.home.state == "verified")
            #expect(try finger.home.status["fingerprint_last_used"] is String)
            #expect(
                try finger.home.ask("status").outputText.contains(
                    /fingerprint: on \(last used here 2.+Z\)\n/))
            // The reader is given back, and the connection closed.
            try finger.reader.tell("free")
            #expect(try finger.reader.tell("clients") == "0")
        }

        @Test(arguments: ["verify", "run --env X=diary/ada -- true"])
        func otherCommandsOfferItToo(words: String) throws {
            let finger = try FingerHome()
            let session = try finger.waiting(words.split(separator: " ").map(String.init))
            try finger.reader.tell("scan finger-A")
            #expect(try session.finish() == 0, "\(session.screen)")
            #expect(try finger.home.state == "verified")
        }

        @Test func itShowsProtectedTasks() throws {
            let finger = try FingerHome()
            try finger.home.unlock()
            let added = try finger.home.ask("task add --protected", input: "see a doctor\n")
            #expect(added.exitCode == 0, "\(added.errorText)")
            try finger.home.closeWindow()
            let session = try finger.waiting(["task", "list", "--reveal"])
            try finger.reader.tell("scan finger-A")
            try session.waitFor("see a doctor")
            try session.type("q")
            #expect(try session.finish(pressing: "q") == 0)
        }

        @Test func anotherFingerDoesNotAndThreeTurnItOff() throws {
            let finger = try FingerHome()
            let session = try finger.waiting()
            for _ in 0..<2 {
                try finger.reader.tell("scan finger-B")
                try session.waitFor("The finger was not recognised: touch the reader again")
            }
            #expect(try finger.home.state == "unlocked")
            try finger.reader.tell("scan finger-B")
            try finger.expectPassphrase(
                after:
                    "three fingers were not recognised: the fingerprint is turned off until the next unlock",
                session)
            try finger.reader.tell("free")
            #expect(try finger.state == "turned_off")
            let off =
                "fingerprint: turned off until the next unlock: three fingers were not recognised"
            #expect(try finger.home.ask("status").outputText.contains(off))
            #expect(try finger.home.run("doctor").outputText.contains(off))
            // A verification by the passphrase does not turn it on again.
            try finger.home.closeWindow()
            #expect(try finger.state == "turned_off")
            let second = try TerminalSession(finger.home, finger.show)
            try finger.expectPassphrase(after: nil, second)
            #expect(!second.screen.contains("Touch"))
            try finger.home.unlock()
            #expect(try finger.state == "on")
            try finger.home.closeWindow()
            let third = try finger.waiting()
            try finger.reader.tell("scan finger-A")
            #expect(try third.finish() == 0)
        }

        @Test func fingersOfSeveralCommandsAreCountedUntilTheOwners() throws {
            let finger = try FingerHome()
            for isOwner in [false, false, true, false, false] {
                let session = try finger.waiting()
                try finger.reader.tell("scan finger-\(isOwner ? "A" : "B")")
                if isOwner {
                    #expect(try session.finish() == 0)
                    try finger.home.closeWindow()
                } else {
                    try session.waitFor("not recognised")
                    try session.waitFor("passphrase\r\n")
                    try session.type("\n")
                    try session.waitFor("Passphrase: ")
                    try session.type("\u{3}")
                    _ = try session.finish()
                }
            }
            #expect(try finger.state == "on")
        }

        @Test func enterTurnsToThePassphrase() throws {
            let finger = try FingerHome()
            let session = try finger.waiting()
            try session.type("\n")
            try finger.expectPassphrase(after: nil, session)
            try finger.reader.tell("free")
            #expect(try finger.state == "on")
        }

        @Test func aFingerThatWasNotReadWellIsNoFailure() throws {
            let finger = try FingerHome()
            let session = try finger.waiting()
            for code in ["0", "1", "2", "3"] {
                try finger.reader.tell("retry \(code)")
                try session.waitFor("The finger was not read well: touch the reader again")
            }
            try finger.reader.tell("scan finger-A")
            #expect(try session.finish() == 0, "\(session.screen)")
        }

        @Test func aReaderThatIsUnpluggedOrFailsIsSaid() throws {
            let finger = try FingerHome()
            let failing = try finger.waiting()
            try finger.reader.tell("error")
            try finger.expectPassphrase(after: "the fingerprint reader failed", failing)
            try finger.home.closeWindow()
            let session = try finger.waiting()
            try finger.reader.tell("unplug")
            try finger.expectPassphrase(after: "the fingerprint reader was unplugged", session)
            try finger.home.closeWindow()
            let without = try TerminalSession(finger.home, finger.show)
            try finger.expectPassphrase(after: "there is no fingerprint reader", without)
        }

        @Test func aForgedSignalOpensNothing() throws {
            let finger = try FingerHome()
            let session = try finger.waiting()
            #expect(try finger.reader.tell("forge verify-match") == "1")
            // What came before this was not believed.
            try finger.reader.tell("scan finger-B")
            try session.waitFor("The finger was not recognised")
            #expect(try finger.home.state == "unlocked")
            // Neither is the end of a scan.
            #expect(try finger.reader.tell("forge verify-disconnected") == "1")
            try finger.reader.tell("scan finger-A")
            #expect(try session.finish() == 0, "\(session.screen)")
        }

        @Test func theNameOfFprintdIsNotEnough() throws {
            let finger = try FingerHome()
            let session = try finger.waiting()
            try finger.reader.tell("kill")
            try session.waitFor("taskvault: error: fprintd has ended\r\n")
            try finger.reader.tell("impostor")
            try finger.expectPassphrase(after: nil, session)
            try finger.home.closeWindow()
            let second = try TerminalSession(finger.home, finger.show)
            try finger.expectPassphrase(
                after: "another user's process answers as fprintd", second)
        }

        @Test func aMatchOfTheOneBeforeIsNotBelieved() throws {
            let finger = try FingerHome()
            try finger.reader.tell("kill")
            try finger.reader.tell("predecessor")
            let session = try finger.waiting()
            #expect(try finger.home.state == "unlocked")
            try session.type("\n")
            try finger.expectPassphrase(after: nil, session)
        }

        @Test func aReaderOfAnotherProgramIsSaid() throws {
            let finger = try FingerHome()
            try finger.reader.tell("claim")
            let session = try TerminalSession(finger.home, finger.show)
            try finger.expectPassphrase(
                after: "another program uses the fingerprint reader", session)
            try finger.reader.tell("release")
            try finger.home.closeWindow()
            let second = try finger.waiting()
            try finger.reader.tell("scan finger-A")
            #expect(try second.finish() == 0)
        }

        @Test func withoutAFingerItIsSaid() throws {
            let finger = try FingerHome(isEnrolled: false)
            func expectAfter(_ message: String) throws {
                let session = try TerminalSession(finger.home, finger.show)
                try finger.expectPassphrase(after: message, session)
                try finger.home.closeWindow()
            }
            try expectAfter("no finger is enrolled")
            try finger.reader.tell("free")
            try finger.reader.tell("kill")
            try expectAfter("fprintd does not answer")
            try finger.reader.tell("readerless")
            try expectAfter("there is no fingerprint reader")
            try finger.reader.tell("end-bus")
            try expectAfter("fprintd does not answer")
        }

        @Test func theEndOfTheBusIsSaid() throws {
            let finger = try FingerHome()
            let session = try finger.waiting()
            try finger.reader.tell("end-bus")
            try finger.expectPassphrase(after: "fprintd has ended", session)
        }

        @Test func oneProgramWaitsAtATime() throws {
            let finger = try FingerHome()
            let first = try finger.waiting()
            let second = try TerminalSession(finger.home, finger.show)
            try second.waitFor(
                "taskvault: error: another program waits for a finger: taskvault, process ")
            try second.waitFor("Passphrase: ")
            try second.type("\u{3}")
            _ = try second.finish()
            try finger.reader.tell("scan finger-A")
            #expect(try first.finish() == 0)
        }

        @Test func aLockEndsTheWait() throws {
            let finger = try FingerHome()
            let session = try finger.waiting()
            expect(try finger.home.ask("lock"), ends: 0)
            #expect(try session.finish() == 3, "\(session.screen)")
            try finger.reader.tell("free")
            #expect(try finger.home.state == "locked")
            #expect(try finger.home.status["fingerprint"] is NSNull)
        }

        @Test(arguments: [SIGKILL, SIGINT])
        func aProgramThatEndsGivesTheReaderBack(signal: Int32) throws {
            let finger = try FingerHome()
            let session = try finger.waiting()
            kill(session.process, signal)
            _ = try session.finish()
            try finger.reader.tell("free")
            let second = try finger.waiting()
            try finger.reader.tell("scan finger-A")
            #expect(try second.finish() == 0)
        }

        @Test func theReaderDoesNotWaitForEver() throws {
            let finger = try FingerHome()
            let session = try finger.waiting()
            try finger.expectPassphrase(after: "no finger touched the reader in time", session)
            try finger.reader.tell("free")
        }

        @Test func aProgramDoesNotWaitForAFinger() throws {
            let finger = try FingerHome()
            #expect(try finger.home.ask("secret get diary ada").exitCode == 8)
            for words in [["verify", "--json"], finger.show + ["--json"]] {
                let session = try TerminalSession(finger.home, words)
                _ = try session.finish()
                #expect(session.screen.hasPrefix("{\"code\":"), "\(session.screen)")
            }
            let file = ["--passphrase-file", finger.home.passphraseFile]
            let session = try TerminalSession(finger.home, finger.show + file)
            #expect(try session.finish() == 0)
            #expect(!session.screen.contains("Touch"))
        }

        @Test func switchingItOnNeedsTheOwnerAndNamesTheLimit() throws {
            let home = try TestHome()
            try home.unlock()
            #expect(try home.status["fingerprint"] as? String == "off")
            #expect(try home.ask("status").outputLines.contains("fingerprint: off"))
            #expect(try home.run("doctor").outputLines.contains("fingerprint: off"))
            try home.closeWindow()
            let on = "settings set verify-with-fingerprint yes"
            let refused = try home.ask(on)
            #expect(refused.exitCode == 8 && refused.errorText.contains("taskvault verify"))
            try home.unlock()
            let done = try home.ask(on)
            #expect(done.outputText == "verify-with-fingerprint is yes now\n")
            #expect(
                done.errorLines == [
                    "taskvault: warning: a finger stops a person at the keyboard, not a program that reads the agent's memory: the key of protected secrets stays there while the vault is unlocked"
                ])
            #expect(try home.run("doctor --json").object["fingerprint"] as? String == "on")
            try home.closeWindow()
            #expect(
                try home.ask("status").outputLines.contains(
                    "protected secrets need a finger or the passphrase: taskvault verify"))
            let off = try home.ask("settings set verify-with-fingerprint no")
            #expect(off.exitCode == 0 && off.errors.isEmpty)
            #expect(try home.status["fingerprint"] as? String == "off")
            // Switched on by another process, the agent has no key to keep.
            #expect(try home.run(on).exitCode == 0)
            #expect(try home.status["fingerprint"] as? String == "needs_verification")
            let session = try TerminalSession(home, ["verify"])
            try session.answer("Passphrase", TestHome.passphrase)
            #expect(try session.finish() == 0)
            #expect(try home.status["fingerprint"] as? String == "on")
        }
    }

    /// The key of protected secrets, in a vault whose owner verifies with a finger.
    @Suite(
        .enabled(if: FingerprintReader.isWanted, FingerprintReader.reason),
        .enabled(if: geteuid() == 0, "only the administrator reads the agent's memory"),
        .waitsForProcesses)
    struct FingerprintMemoryTests {
        /// The rights of the agent's pages for a suspended key: those of `memfd_secret`.
        private func suspendedKeyRights(_ memory: AgentMemory) throws -> [String] {
            let maps = String(decoding: try Files.read("/proc/\(memory.agent)/maps"), as: UTF8.self)
            return maps.split(separator: "\n").filter { $0.contains("/secretmem") }
                .map { String($0.split(separator: " ")[1]) }
        }

        /// The keys that can be read, where the system has secret memory.
        @Test func theKeyRestsInAPageOfItsOwn() throws {
            let reader = try FingerprintReader()
            try reader.tell("enrol")
            let memory = try AgentMemory(launcher: reader.launcher)
            let suspended = AgentMemory.sessionKeys.subtracting(["value key 2"])
            try memory.home.unlock()
            let text = try memory.newText("protected text")
            try memory.home.tell(text, "diary", options: "--class after-verification")
            expect(
                try memory.home.ask("verify --passphrase-file \(memory.home.passphraseFile)"),
                ends: 0)
            #expect(try memory.home.ask("settings set verify-with-fingerprint yes").exitCode == 0)
            try memory.expect(AgentMemory.sessionKeys, "verified")
            #expect(try suspendedKeyRights(memory) == [])
            try memory.home.closeWindow()
            let hasSecretMemory = try !suspendedKeyRights(memory).isEmpty
            try #require(hasSecretMemory || (try memory.findings()["value key 2"]?.copies == 1))
            if hasSecretMemory {
                #expect(try suspendedKeyRights(memory) == ["---s"])
                try memory.expect(suspended, "suspended")
            }
            for _ in 0..<2 {
                let session = try TerminalSession(memory.home, ["secret", "get", "diary", "ada"])
                try session.waitFor("Enter for the passphrase")
                if hasSecretMemory {
                    #expect(
                        try memory.findings()["value key 2"]?.found == 0,
                        "while a finger is awaited")
                }
                try reader.tell("scan finger-A")
                #expect(try session.finish() == 0)
                #expect(session.screen.contains(text))
                try memory.expect(AgentMemory.sessionKeys, "a finger")
                #expect(try suspendedKeyRights(memory) == [])
                try memory.home.closeWindow()
            }
            try memory.home.ask("lock")
            try memory.expect([], "locked")
            #expect(try suspendedKeyRights(memory) == [])
        }

        @Test func threeOtherFingersWipeIt() throws {
            let reader = try FingerprintReader()
            try reader.tell("enrol")
            let memory = try AgentMemory(launcher: reader.launcher)
            try memory.home.unlock()
            #expect(try memory.home.ask("settings set verify-with-fingerprint yes").exitCode == 0)
            try memory.home.closeWindow()
            let session = try TerminalSession(memory.home, ["verify"])
            try session.waitFor("Enter for the passphrase")
            for _ in 0..<2 {
                try reader.tell("scan finger-B")
                try session.waitFor("not recognised")
            }
            try reader.tell("scan finger-B")
            try session.waitFor("Passphrase: ")
            #expect(try suspendedKeyRights(memory) == [])
            #expect(try memory.findings()["value key 2"]?.found == 0)
            try session.type("\u{3}")
            _ = try session.finish()
        }

        @Test func switchedOffNothingRests() throws {
            let memory = try AgentMemory()
            try memory.home.unlock()
            #expect(try memory.home.ask("settings set verify-with-fingerprint yes").exitCode == 0)
            try memory.home.closeWindow()
            #expect(try memory.home.ask("settings set verify-with-fingerprint no").exitCode == 0)
            try memory.expect(AgentMemory.sessionKeys.subtracting(["value key 2"]), "off")
            #expect(try suspendedKeyRights(memory) == [])
            #expect(try memory.home.status["fingerprint"] as? String == "off")
        }
    }
#endif
