#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @testable import VaultAgent

    /// Events of the login manager, over a real bus.
    @Suite(
        .enabled(if: LoginBus.isThere, "dbus-daemon or python3-dbusmock is not installed"),
        .timeLimit(.minutes(60)))
    struct SleepAndLockEventsTests {
        /// A session of this user, and one of another.
        private static let sessions = ["session own \(getuid())", "session other \(getuid() + 1)"]

        /// For what has to be there, in microseconds; a machine that pauses needs more than the two seconds that an agent waits.
        private static let patience: UInt64 = 120_000_000

        private func withEvents(_ body: (LoginBus, SleepAndLockEvents) throws -> Void) throws {
            try withTemporaryFolder { folder in
                let bus = try LoginBus(in: folder)
                for session in Self.sessions { try bus.tell(session) }
                try body(
                    bus, #require(SleepAndLockEvents(address: bus.address, timeout: Self.patience)))
            }
        }

        @Test func sleepWaitsUntilItIsReleased() throws {
            try withEvents { bus, events in
                #expect(try bus.tell("inhibitors") == "sleep:TaskVault:lock the vault:delay")
                try bus.tell("sleep true")
                #expect(events.wait() == .willSleep)
                #expect(events.delaysSleep)
                #expect(try bus.tell("inhibitors") == "sleep:TaskVault:lock the vault:delay")
                events.releaseSleep()
                #expect(!events.delaysSleep)
                #expect(try bus.tell("released") == "none")
            }
        }

        @Test func theNextSleepWaitsToo() throws {
            try withEvents { bus, events in
                events.releaseSleep()
                try bus.tell("sleep false")
                #expect(events.wait() == .didWake)
                events.delaySleep()
                events.delaySleep()
                #expect(try bus.tell("inhibitors") == "sleep:TaskVault:lock the vault:delay")
                try bus.tell("sleep true")
                #expect(events.wait() == .willSleep)
                events.releaseSleep()
                #expect(try bus.tell("released") == "none")
            }
        }

        @Test func sleepWaitsNoLongerThanTheAgentLives() throws {
            try withTemporaryFolder { folder in
                let bus = try LoginBus(in: folder)
                var events = SleepAndLockEvents(address: bus.address, timeout: Self.patience)
                #expect(try bus.tell("inhibitors") != "none")
                #expect(events?.delaysSleep == true)
                events = nil
                #expect(try bus.tell("released") == "none")
            }
        }

        @Test(arguments: ["lock", "hint"])
        func theLockOfAnOwnSessionIsTold(by way: String) throws {
            try withEvents { bus, events in
                try bus.tell("\(way) own true")
                #expect(events.wait() == .sessionLocked)
            }
        }

        @Test(arguments: [
            "lock other", "hint other true", "hint own false", "unlock own",
            "impostor sleep", "impostor lock", "impostor owner",
        ])
        func othersDoNotLock(_ command: String) throws {
            try withEvents { bus, events in
                try bus.tell(command)
                try bus.tell("sleep false")
                #expect(events.wait() == .didWake, "nothing came before it")
            }
        }

        @Test(
            "a signal that another process sends straight to the agent is no event",
            arguments: ["sleep", "lock", "owner"])
        func impostor(kind: String) throws {
            try withEvents { bus, events in
                let own = try bus.tell("client")
                try bus.tell("impostor \(kind) \(own)")
                if kind == "owner" { try bus.tell("impostor sleep \(own)") }
                try bus.tell("sleep false")
                #expect(events.wait() == .didWake, "nothing came before it")
                #expect(events.delaysSleep)
            }
        }

        @Test func whoSendsWithoutEndDoesNotHoldTheAgent() throws {
            try withEvents { bus, events in
                let own = try bus.tell("client")
                try bus.tell("flood \(own)")
                try bus.tell("sleep false")
                // From here on nothing is added to what has arrived.
                bus.signalBus(SIGSTOP)
                #expect(events.next() == nil)
                #expect(events.hasMore, "a part at a time")
                bus.signalBus(SIGCONT)
                #expect(events.wait() == .didWake)
            }
        }

        @Test func theEndOfTheBusIsToldOnce() throws {
            try withEvents { bus, events in
                #expect(events.descriptor >= 0)
                bus.end()
                #expect(events.wait() == .disconnected)
                #expect(events.next() == nil)
                #expect(events.descriptor == -1, "poll leaves it out")
                #expect(events.pollTimeout == -1)
                #expect(events.pollEvents == 0)
                #expect(!events.delaysSleep)
                events.delaySleep()
                #expect(!events.delaysSleep)
            }
        }

        @Test func aNewLoginManagerIsAskedAgain() throws {
            try withEvents { bus, events in
                bus.endManager()
                try bus.startManager()
                try bus.tell(Self.sessions[0])
                try bus.tell("lock own")
                #expect(events.wait() == .sessionLocked)
                #expect(try bus.tell("inhibitors") == "sleep:TaskVault:lock the vault:delay")
            }
        }

        @Test func whereNobodyAnswersThereIsNothing() throws {
            try withTemporaryFolder { folder in
                #expect(SleepAndLockEvents(address: "unix:path=\(folder)/none") == nil)
                #expect(SleepAndLockEvents(address: "rubbish") == nil)
                let bus = try LoginBus(in: folder, manager: false)
                #expect(SleepAndLockEvents(address: bus.address) == nil)
                try bus.startManager()
                #expect(SleepAndLockEvents(address: bus.address, library: "libnone.so.0") == nil)
                #expect(SleepAndLockEvents(address: bus.address, library: "libc.so.6") == nil)
                #expect(SleepAndLockEvents(address: bus.address, timeout: Self.patience) != nil)
            }
        }

        /// So many calls with sd-bus's own timeout, 25 seconds each, would take longer than the limit.
        @Test(.timeLimit(.minutes(60)))
        func aBusThatHangsDoesNotHoldTheAgent() throws {
            try withEvents { bus, _ in
                let events = try Self.impatient(bus)
                events.releaseSleep()
                bus.signalBus(SIGSTOP)
                #expect(SleepAndLockEvents(address: bus.address, timeout: 50_000) == nil)
                for _ in 1...150 { events.delaySleep() }
                #expect(!events.delaysSleep)
                #expect(events.next() == nil)
                bus.signalBus(SIGCONT)
                try bus.tell("sleep false")
                #expect(events.wait() == .didWake)
                try eventually("the machine's sleep is delayed again") {
                    events.delaySleep()
                    return events.delaysSleep
                }
            }
        }

        /// Waits 50 milliseconds for whatever it asks; a busy machine may need more than one try to connect in that time.
        private static func impatient(_ bus: LoginBus) throws -> SleepAndLockEvents {
            var events: SleepAndLockEvents?
            try eventually("it is connected") {
                events = SleepAndLockEvents(address: bus.address, timeout: 50_000)
                return events?.delaysSleep == true
            }
            return try #require(events)
        }

        @Test func aLockThatCannotBeLookedIntoCounts() throws {
            try withEvents { bus, _ in
                let events = try Self.impatient(bus)
                try bus.tell("lock other")
                bus.signalManager(SIGSTOP)
                #expect(events.wait() == .sessionLocked)
                bus.signalManager(SIGCONT)
            }
        }

        @Test(.endsProcess) func theSystemsBusIsWhereTheEnvironmentSays() async throws {
            try await withTemporaryFolder { folder in
                let bus = try LoginBus(in: folder)
                let address = bus.address
                await #expect(processExitsWith: .success) { [address = address as String] in
                    unsafe setenv("DBUS_SYSTEM_BUS_ADDRESS", address, 1)
                    let events = try #require(SleepAndLockEvents(timeout: Self.patience))
                    #expect(events.delaysSleep)
                }
            }
        }

        @Test(.endsProcess) func childrenDoNotInheritTheDelay() async throws {
            try await withTemporaryFolder { folder in
                let bus = try LoginBus(in: folder)
                let address = bus.address
                await #expect(processExitsWith: .success) { [address = address as String] in
                    let before = Self.openPipes
                    let events = try #require(
                        SleepAndLockEvents(address: address, timeout: Self.patience))
                    // The double's inhibitors are pipes, as logind's are.
                    let added = Self.openPipes.subtracting(before)
                    #expect(!added.isEmpty)
                    #expect(added.allSatisfy { fcntl($0, F_GETFD) == FD_CLOEXEC })
                    #expect(events.delaysSleep)
                }
            }
        }

        private static var openPipes: Set<Int32> {
            Set(
                (3..<256).filter { descriptor in
                    var status = stat()
                    return unsafe fstat(descriptor, &status) == 0
                        && status.st_mode & S_IFMT == S_IFIFO
                })
        }
    }
#endif
