#if os(Linux)
    import CPlatform
    import Glibc
    import TestSupport
    import Testing

    /// All memory of the real agent, read by the administrator through `/proc/PID/mem`.
    @Suite(.enabled(if: geteuid() == 0, "only the administrator reads the agent's memory"))
    struct AgentMemoryTests {
        @Test func eachKeyOnceWhileUnlockedAndNothingAfterTheLock() throws {
            let memory = try AgentMemory()
            try memory.expect([], "before")
            let wrong = try memory.newText("wrong passphrase")
            #expect(
                try memory.home.ask("unlock --passphrase-file -", input: wrong + "\n").exitCode == 4
            )
            try memory.expect([], "refused")
            try memory.home.unlock()
            try memory.expect(AgentMemory.sessionKeys, "unlocked")
            try use(memory, "text")
            try memory.expect(AgentMemory.sessionKeys, "used")
            try memory.home.unlock()
            try memory.expect(AgentMemory.sessionKeys, "verified again")
            #expect(
                try memory.home.ask("verify --passphrase-file -", input: wrong + "\n").exitCode == 4
            )
            try memory.expect(AgentMemory.sessionKeys, "refused while unlocked")
            try memory.home.ask("lock")
            try memory.expect([], "locked")
            let unlocked = try memory.home.ask(
                "recovery unlock --passphrase-file -", input: memory.recoveryCode + "\n")
            #expect(unlocked.exitCode == 0)
            try memory.expect(AgentMemory.sessionKeys, "unlocked by the recovery code")
            kill(memory.agent, SIGUSR1)
            try memory.waitFor(theEndOf: "lookup key")
            try memory.expect([], "locked by a signal")
        }

        @Test func timeWipesTheKeysWithoutBeingAsked() throws {
            let memory = try AgentMemory()
            try memory.home.unlock()
            try use(memory, "text")
            try memory.home.ask("settings set verification-window 1s")
            try memory.waitFor(theEndOf: "value key 2")
            try memory.expect(
                AgentMemory.sessionKeys.subtracting(["value key 2"]), "verification is over")
            try memory.home.unlock()
            try memory.home.ask("settings set idle-limit 1s")
            try memory.waitFor(theEndOf: "lookup key")
            try memory.expect([], "the idle limit has passed")
        }

        @Test func whateverEndsASessionLeavesNothing() throws {
            let memory = try AgentMemory()
            for cycle in 0..<20 {
                try memory.home.unlock()
                try use(memory, "text \(cycle)")
                switch cycle % 4 {
                case 0: try memory.home.ask("lock")
                case 1:
                    kill(memory.agent, SIGUSR1)
                    try memory.waitFor(theEndOf: "lookup key")
                case 2:
                    try memory.home.ask("settings set absolute-limit 1s")
                    try memory.waitFor(theEndOf: "lookup key")
                    try memory.home.run("settings set absolute-limit 12h")
                default:
                    #expect(try memory.home.run("rekey").exitCode == 0)
                    try memory.lookForKeys(" after \(cycle)")
                }
                try memory.expect([], "cycle \(cycle)")
            }
        }

        @Test func aTextOnItsWayIsGuardedAndGoneWithItsClient() throws {
            let memory = try AgentMemory()
            try memory.home.unlock()
            let text = try memory.newText("text on its way", 300)
            // The first half of a request.
            var hello: [UInt8] = [0] + Array("TVAG".utf8) + [1, 0, 0, 0] + [1, 0, 0, 0, 0x78]
            hello = [UInt8(hello.count), 0, 0, 0] + hello
            let client = unsafe platform_connect(memory.home.home + "/agent.sock")
            try #require(client >= 0)
            let frame = hello + [0, 4, 0, 0] + Array(text.utf8)
            #expect(unsafe send(client, frame, frame.count, 0) == frame.count)
            #expect(
                try Processes.wait { try memory.findings()["text on its way"]?.copies == 1 },
                "the scan sees what is there")
            #expect(try memory.findings()["text on its way"]?.isProtected == true)
            close(client)
            try memory.expect(AgentMemory.sessionKeys, "gone")
        }

        /// Writes and reads, each with a client of its own.
        private func use(_ memory: AgentMemory, _ name: String) throws {
            let home = memory.home
            for (number, size) in [30, 9_000, 70_000].enumerated() {
                for isProtected in [true, false] {
                    let service = "\(name.replacing(" ", with: ""))-\(number)-\(isProtected)"
                    let options = isProtected ? "--class after-verification" : ""
                    try home.tell(
                        try memory.newText("\(name) \(number) \(isProtected) first", size), service,
                        options: options)
                    let second = try memory.newText("\(name) \(number) \(isProtected)", size)
                    expectEnd(try home.ask("secret update \(service) ada", input: second))
                    try home.expectValue(second, service)
                }
            }
            expectEnd(try home.ask("secret list"))
            expectEnd(
                try home.ask("secret edit \(name.replacing(" ", with: ""))-0-true ada --label x"))
        }

        private func expectEnd(_ result: RunResult) {
            #expect(result.exitCode == 0, "\(result.errorText)")
        }
    }
#endif
