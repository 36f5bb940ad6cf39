#if os(Linux)
    import Foundation
    import Platform
    import SecureStorage
    import Synchronization
    import TestSupport
    import Testing
    import VaultAgent
    import VaultCore
    import VaultStorage

    /// Agents and clients that are killed in the middle of something.
    @Suite(.waitsForProcesses) struct AgentDeathTests {
        @Test func theClientSaysThatTheAgentDied() throws {
            let home = try TestHome()
            let agent = try home.unlock()
            try home.tell("before")
            // Not Foundation's, whose ends a child inherits: it would wait for an end that it holds itself.
            var ends: [Int32] = [-1, -1]
            // At once: a process that another test starts in between would keep the input open.
            try #require(unsafe platform_pipe(&ends) == 0)
            for end in ends { _ = fcntl(end, F_SETFL, 0) }
            let (input, typing) = (ends[0], ends[1])
            defer { close(input) }
            let errors = home.folder + "/errors"
            let sink = try Files.open(errors, O_WRONLY | O_CREAT | O_TRUNC)
            defer { close(sink) }
            let client = try Executable.start(
                ["secret", "update", "mail.example", "ada"], environment: home.environment,
                in: home.folder,
                .init(
                    input: input, output: sink, errors: sink))
            // It takes the value when the agent has told it that there is such a secret.
            func isTaken() -> Bool {
                var request = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
                unsafe poll(&request, 1, 0)
                return request.revents & Int16(POLLIN) == 0
            }
            #expect(unsafe write(typing, "af", 2) == 2)
            #expect(Processes.wait { isTaken() })
            try StoppedProcess.stop(agent)
            #expect(unsafe write(typing, "ter", 3) == 3)
            close(typing)
            // With all of its input there, the client has nothing to wait for but the agent, which does not answer.
            #expect(
                Processes.wait {
                    isTaken() && Processes.field("State", of: client)?.hasPrefix("S") == true
                })
            kill(agent, SIGKILL)
            #expect(Executable.wait(for: client) == 1)
            let said = String(decoding: try Files.read(errors), as: UTF8.self)
            #expect(
                said.hasPrefix("taskvault: error: the agent did not answer: "), "\(said)")
            try home.unlock()
            try home.expectValue("before")
        }

        @Test func clientsThatDieLeaveTheAgentAndTheVaultSound() throws {
            let home = try TestHome()
            let agent = try home.unlock()
            let value = String(repeating: "a large value ", count: 50_000)
            try Files.write(value, to: home.folder + "/value")
            let input = try Files.open(home.folder + "/value", O_RDONLY)
            let sink = try Files.open("/dev/null", O_WRONLY)
            defer {
                close(input)
                close(sink)
            }
            var killed = 0
            for number in 0..<40 {
                lseek(input, 0, SEEK_SET)
                let client = try Executable.start(
                    ["secret", "set", "item\(number)", "ada"], environment: home.environment,
                    in: home.folder, .init(input: input, output: sink, errors: sink))
                // At once, so that one is killed; then at any moment.
                if number > 0 { usleep(UInt32.random(in: 0...40_000)) }
                kill(client, SIGKILL)
                if Executable.wait(for: client) != 0 { killed += 1 }
            }
            #expect(killed > 0)
            #expect(try home.state == "verified")
            #expect(home.agentProcess == agent)
            let items = try #require(try home.ask("secret list --json").json as? [[String: Any]])
            for item in items {
                try home.expectValue(value, item["service"] as? String ?? "")
            }
            #expect(try home.run("doctor").exitCode == 0)
            #expect(Processes.wait { Files.names(in: "/proc/\(agent)/task").count == 1 })
        }

        /// How often an agent is killed.
        private static let kills = Attack.amount("TASKVAULT_AGENT_KILLS", ordinary: 25)

        @Test func nothingAcknowledgedIsLostWhenTheAgentIsKilled() throws {
            let home = try TestHome()
            let place = try AgentPlace(vaultFile: home.vault, runtimeFolder: nil)
            var steps = 0
            var unanswered = 0
            var answered = 0
            for round in 0..<Self.kills {
                let agent = try AgentSignalTests.Foreground(home, waits: false)
                let client = try Self.client(place)
                try client.unlock(with: TestVault.secret(TestHome.passphrase))
                // What was not answered may have been done, and nothing else.
                let found = try WriterSteps.contents(of: client)
                if try found == WriterSteps.model(after: steps + 1) {
                    steps += 1
                } else {
                    #expect(try found == WriterSteps.model(after: steps))
                }
                // Counted in steps, as a busy machine does few of them in any time; the moment within one is random.
                let answers = round % 5
                let killer = Thread { [process = agent.process] in
                    usleep(UInt32.random(in: 0...5_000))
                    kill(process, SIGKILL)
                }
                do {
                    for step in 0... {
                        if step == answers { killer.start() }
                        try WriterSteps.run(steps, on: client)
                        steps += 1
                        answered += 1
                    }
                } catch SecureStoreError.unavailable(.failed, let detail) {
                    #expect(detail.hasPrefix("the agent did not answer"))
                    unanswered += 1
                } catch SecureStoreError.locked {
                    // Between two requests: there is no agent to be asked.
                }
                #expect(try agent.finish().status == SIGKILL)
            }
            #expect(answered > Self.kills)
            Attack.report(["agents-killed": Self.kills, "acknowledged": answered, "lost": 0])
            #expect(unanswered > 0)
            #expect(try home.run("doctor").exitCode == 0)
        }

        /// A client, as soon as there is an agent.
        private static func client(_ place: AgentPlace) throws -> AgentClient {
            var client: AgentClient?
            _ = Processes.wait {
                client = try? AgentClient(place, programVersion: "test")
                return client != nil
            }
            return try #require(client)
        }
    }
#endif
