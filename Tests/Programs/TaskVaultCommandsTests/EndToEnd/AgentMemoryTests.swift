#if os(Linux)
    import Platform
    import Foundation
    import Glibc
    import Passkeys
    import Sealing
    import SecretMemory
    import SecurityKeys
    import SoftwareAuthenticator
    import TestSupport
    import Testing
    import VaultAgent
    import VaultCore
    import VaultStorage

    /// All memory of the real agent, read by the administrator through `/proc/PID/mem`.
    @Suite(
        .enabled(if: geteuid() == 0, "only the administrator reads the agent's memory"),
        .waitsForProcesses)
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

        /// Windows of eight bytes of every secret there was: none after each end, and while unlocked those of the keys, each once.
        @Test func everyEndOfASessionLeavesNothing() throws {
            let cycles = Attack.amount("TASKVAULT_LOCK_CYCLES", ordinary: 4)
            var memory = try AgentMemory()
            var seen = 0
            for cycle in 0..<cycles {
                // Each text of a cycle is looked for in all that follow, so a home has some of them only.
                if cycle > 0, cycle.isMultiple(of: 25) { memory = try AgentMemory() }
                try memory.home.unlock()
                try use(memory, "text \(cycle)")
                try useTasks(memory, cycle)
                seen += try memory.expect(memory.presentKeys, "unlocked in cycle \(cycle)")
                switch cycle % 6 {
                case 0: try memory.home.ask("lock")
                case 1:
                    kill(memory.agent, SIGUSR1)
                    try memory.waitFor(theEndOf: "lookup key")
                case 2:
                    try memory.home.ask("settings set absolute-limit 1s")
                    try memory.waitFor(theEndOf: "lookup key")
                    try memory.home.run("settings set absolute-limit 12h")
                case 3:
                    // Locks, too.
                    try memory.changePassphrase("passphrase of \(cycle)")
                    try memory.lookForKeys(" after \(cycle)")
                case 4:
                    try leave(memory, cycle)
                    try memory.home.ask("lock")
                default:
                    #expect(try memory.home.run("rekey").exitCode == 0)
                    try memory.lookForKeys(" after \(cycle)")
                }
                try memory.expect([], "cycle \(cycle)")
            }
            #expect(seen > 0)
            print("proof: cycles=\(cycles) windows=0")
            print("control: \(seen) windows of the keys were found while unlocked, each once")
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

        @Test func theOutputOfAPasskeyIsGoneAfterEachUse() throws {
            let memory = try AgentMemory()
            let page = PageOrigin(port: 40_000)
            let place = try AgentPlace(vaultFile: memory.home.vault, runtimeFolder: nil)
            var passkey = TestPasskey(page: page, key: .random(in: 0...255))
            memory.lookFor("output", try passkey.output())
            func withClient(_ body: (AgentClient) throws -> Void) throws {
                try body(AgentClient(place, programVersion: "test"))
            }
            func answer(_ client: AgentClient) throws -> PasskeyAssertion {
                passkey.assertion(try client.beginPasskey(registering: false, page: page))
            }

            try withClient { client in
                let challenge = try client.beginPasskey(registering: true, page: page)
                let confirmation = try client.finish(passkey.registration(challenge))
                let typed = Array(try Files.read(memory.home.passphraseFile).dropLast())
                try client.addPasskey(
                    passkey.assertion(confirmation), output: passkey.output(), name: "phone",
                    verifiedBy: .passphrase(Passphrase(typed: Samples.secret(typed))))
            }
            try memory.expect([], "registered")
            try withClient { try $0.unlock(by: answer($0), output: passkey.output()) }
            try memory.expect(AgentMemory.sessionKeys, "unlocked")
            try withClient { try $0.verify(by: answer($0), output: passkey.output()) }
            try memory.expect(AgentMemory.sessionKeys, "verified")
            passkey.flags = 0x01
            try withClient { client in
                #expect(throws: AgentError.passkey(.notVerified)) {
                    try client.verify(by: answer(client), output: passkey.output())
                }
            }
            try memory.expect(AgentMemory.sessionKeys, "refused")
            try memory.home.ask("lock")
            try memory.expect([], "locked")
        }

        @Test func theOutputOfASecurityKeyIsGoneAfterEachUse() throws {
            let memory = try AgentMemory()
            let home = memory.home
            home.program = BuiltExecutable.path(of: "TestTools")
            home.environment["SOFTWARE_KEYS"] = "1"
            let typed = String(
                decoding: try Files.read(home.passphraseFile).dropLast(), as: UTF8.self)
            expectEnd(try home.run("key add --security-key", lines: [typed, "1234"]))
            // The same key as that of the probe.
            let key = SoftwareAuthenticator(
                seed: [UInt8](repeating: UInt8(ascii: "1"), count: 32), pin: "1234")
            let storage = try VaultDatabase.openFile(at: home.vault, mode: .readOnly)
            let slots = try LockedVault(storage, TestVault.environment()).slots
            storage.close()
            let record = try #require(slots.last?.record)
            let credential = SecurityKeyCredential(
                id: record.credentialID, publicKey: record.publicKey)
            let found = try SecurityKeys(devices: SoftwareAuthenticator.devices([key]))
                .evaluate([(credential, record.salt)], prompts: Typist())
            memory.lookFor("output", try found.output.withBytes { try SecretBytes(copying: $0) })

            let pin = home.folder + "/pin"
            try Files.write("1234\n", to: pin)
            for command in ["unlock", "verify"] {
                expectEnd(try home.runBare([command, "--key", "--passphrase-file", pin]))
                try memory.expect(AgentMemory.sessionKeys, command)
            }
            try home.ask("lock")
            try memory.expect([], "locked")
        }

        private struct Typist: SecurityKeyPrompting {
            func pin(attemptsLeft: Int?, wasWrong: Bool) throws -> SecretBytes {
                try Samples.secret("1234")
            }

            func touch(_ touch: SecurityKeyTouch, until isOver: () -> Bool) {
                while !isOver() {}
            }
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

        /// Commands whose text the agent holds as well: protected tasks.
        private func useTasks(_ memory: AgentMemory, _ cycle: Int) throws {
            let home = memory.home
            let name = try memory.newText("task \(cycle)")
            let made = try home.ask("task add --protected --json", input: name + "\n")
            expectEnd(made)
            let id = try #require(made.object["id"] as? String)
            expectEnd(try home.ask("task show \(id)"))
            let notes = try memory.newText("notes \(cycle)")
            expectEnd(try home.ask("task edit \(id) --notes -", input: notes))
            expectEnd(try home.ask("task unprotect \(id)"))
            expectEnd(try home.ask("task protect \(id)"))
            expectEnd(try home.ask("task export --reveal"))
            expectEnd(try home.ask("task list --reveal --search a"))
            expectEnd(try home.ask("task remove --yes \(id)"))
        }

        /// The values that go in and out as a whole.
        private func leave(_ memory: AgentMemory, _ cycle: Int) throws {
            let home = memory.home
            let value = try memory.newText("imported \(cycle)")
            expectEnd(
                try home.ask(
                    "secret import - --format browser --passphrase-file \(home.passphraseFile)",
                    input: "name,url,username,password\nx,https://x\(cycle).example,ada,\(value)\n")
            )
            expectEnd(
                try home.ask(
                    "secret export --passphrase-file \(home.passphraseFile)"))
            expectEnd(try home.ask("secret generate generated\(cycle) ada"))
        }

        private func expectEnd(_ result: RunResult) {
            #expect(result.exitCode == 0, "\(result.errorText)")
        }
    }
#endif
