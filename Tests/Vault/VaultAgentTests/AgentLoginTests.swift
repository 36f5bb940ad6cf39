#if os(Linux)
    import Foundation
    import TestSupport
    import Testing
    import VaultAgent

    /// Each agent is in a process of its own: where the bus is, the environment says.
    @Suite(
        "The agent and the login manager",
        .enabled(if: LoginBus.isThere, "dbus-daemon or python3-dbusmock is not installed"),
        .timeLimit(.minutes(60)))
    struct AgentLoginTests {
        @Test("keys are gone before the machine may sleep", .endsProcess)
        func sleep() async {
            await #expect(processExitsWith: .success) {
                try Self.withUnlockedAgent { bus, client in
                    #expect(try bus.tell("inhibitors") == "sleep:TaskVault:lock the vault:delay")
                    try bus.tell("sleep true")
                    #expect(try bus.tell("released") == "none")
                    #expect(try !client.status().isUnlocked)
                }
            }
        }

        @Test("the vault is locked with the screen", .endsProcess)
        func screen() async {
            await #expect(processExitsWith: .success) {
                try Self.withUnlockedAgent { bus, client in
                    try bus.tell("lock own true")
                    try eventually("the vault is locked") { try !client.status().isUnlocked }
                }
            }
        }

        private static func withUnlockedAgent(
            _ body: (LoginBus, AgentClient) throws -> Void
        ) throws {
            try withTemporaryFolder { folder in
                let bus = try LoginBus(in: folder)
                try bus.tell("session own \(getuid())")
                unsafe setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address, 1)
                var agent = try TestAgent(in: folder) { $0.followsLogin = true }
                defer { try? agent.stop() }
                // An agent waits two seconds for the bus, which a machine that pauses may let go by.
                try eventually("the agent follows the login manager") {
                    if try bus.tell("inhibitors") != "none" { return true }
                    try agent.stop()
                    agent = try TestAgent(in: folder) { $0.followsLogin = true }
                    return false
                }
                let client = try agent.unlockedClient()
                try body(bus, client)
                bus.end()
            }
        }
    }
#endif
