#if os(Linux)
    import Foundation
    import Platform
    import Testing
    import TestSupport

    /// Homes that sync without a command.
    @Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SyncByItselfTests {
        @Test func servicesCarryTheListWhileTheVaultsAreLocked() throws {
            let homes = try TwoHomes(isJoined: false)
            let (first, second) = (homes.first, homes.second)
            // They run before there is a group.
            let services = try [first, second].map { try RunningServices($0) }
            try homes.enable()
            try homes.join()
            for home in [first, second] { expect(try home.ask("lock"), ends: 0) }
            let milk = try first.add("buy milk")
            try second.awaitTask("buy milk")
            try second.doTask("done", milk)
            try eventually("it is done") { try first.shown(milk)["done"] as? Bool == true }
            // A reminder of the other machine's list.
            _ = try first.add("call Ada", "--due", "in 2 minutes", "--remind", "2m")
            try eventually("it is announced") { services[1].announced.contains("call Ada") }
            for each in services { #expect(each.end() == 0) }
        }

        @Test func servicesCarrySecretsAndExtendNoSession() throws {
            let homes = try TwoHomes()
            let (first, second) = (homes.first, homes.second)
            try homes.sync()
            let services = try [first, second].map { try RunningServices($0) }
            for home in [first, second] { try home.unlock() }
            func idleEnd() throws -> (earliest: Double, latest: Double) {
                let before = Date().timeIntervalSinceReferenceDate
                let left = try #require(second.status["idle_seconds_left"] as? Int)
                let after = Date().timeIntervalSinceReferenceDate
                return (before + Double(left), after + Double(left))
            }
            let end = try idleEnd()
            let start = ContinuousClock.now
            var number = 0
            while ContinuousClock.now < start + .seconds(4) {
                number += 1
                try first.tell("value \(number)", "site-\(number).example")
                try second.awaitSecret("site-\(number).example")
            }
            // Seconds are rounded.
            #expect(try idleEnd().earliest < end.latest + 2)
            // What comes while the vault is locked waits for the unlock, which needs no command more.
            expect(try second.ask("lock"), ends: 0)
            let round = first.lastRound
            try first.tell("hunter2")
            try eventually("it is sent") {
                try first.lastRound != round && first.syncStatus["unsent"] as? Int == 0
            }
            try second.unlock()
            try second.awaitSecret("mail.example")
            try second.expectValue("hunter2")
            for each in services { #expect(each.end() == 0) }
        }

        @Test func aFolderThatIsGoneForAWhileIsFoundAgain() throws {
            let homes = try TwoHomes()
            let (first, second) = (homes.first, homes.second)
            try homes.sync()
            let services = try [first, second].map { try RunningServices($0) }
            let away = homes.folder + "-away"
            try FileManager.default.moveItem(atPath: homes.folder, toPath: away)
            _ = try first.add("buy milk")
            try eventually("it is named") {
                let problems = try first.syncStatus["problems"] as? [[String: Any]] ?? []
                return problems.contains { $0["code"] as? String == "no_folder" }
            }
            try FileManager.default.moveItem(atPath: away, toPath: homes.folder)
            try second.awaitTask("buy milk")
            // Then nothing happens without a change.
            try eventually("it is quiet") {
                let before = [first.lastRound, second.lastRound]
                usleep(4_000_000)
                return before == [first.lastRound, second.lastRound]
            }
            for each in services { #expect(each.end() == 0) }
        }

        @Test func servicesWaitAtTheServer() throws {
            let homes = try TwoAccountHomes()
            let (first, second) = (homes.first, homes.second)
            try homes.sync()
            let services = try [first, second].map { try RunningServices($0) }
            expect(try second.ask("lock"), ends: 0)
            _ = try first.add("buy milk")
            try second.awaitTask("buy milk")
            homes.server.stop()
            _ = try first.add("water the plants")
            try eventually("it is named") {
                let problems = try first.syncStatus["problems"] as? [[String: Any]] ?? []
                return problems.contains { $0["code"] as? String == "server_unreachable" }
            }
            try homes.server.start()
            try second.awaitTask("water the plants")
            for each in services { #expect(each.end() == 0) }
        }

        /// A change while a round is under way starts another, which waits; and no command waits for either.
        @Test func oneRoundWaitsAndNoCommandDoes() throws {
            let homes = try TwoHomes()
            let (first, second) = (homes.first, homes.second)
            try homes.sync()
            let folder = first.syncFolder
            // Another process's round.
            let round = try #require(Self.lock(folder + "/lock"))
            let session = try TerminalSession(first, ["task", "add", "water", "the", "plants"])
            #expect(try session.finish() == 0, "\(session.screen)")
            try eventually("its round waits") {
                guard let free = Self.lock(folder + "/next") else { return true }
                close(free)
                return false
            }
            // A further one leaves all to the one that waits.
            expect(try first.ask("sync now --within 10"), ends: 0)
            #expect(try first.syncStatus["unsent"] as? Int == 0)
            close(round)
            try eventually("it comes") {
                expect(try second.ask("sync now"), ends: 0)
                return try second.tasks().texts("name") == ["water the plants"]
            }
        }

        private static func lock(_ path: String) -> Int32? {
            guard let file = try? Files.open(path, O_RDWR | O_CREAT) else { return nil }
            if flock(file, LOCK_EX | LOCK_NB) == 0 { return file }
            close(file)
            return nil
        }
    }

    extension TestHome {
        /// The folder of sync in the state of the machine.
        fileprivate var syncFolder: String {
            let folder = folder + "/state/taskvault/sync"
            return folder + "/" + (Files.names(in: folder).first ?? "")
        }

        /// The mark that tells one round from another.
        fileprivate var lastRound: [UInt8] { (try? Files.read(syncFolder + "/report")) ?? [] }

        fileprivate func awaitTask(_ name: String) throws {
            try eventually("\(name) comes") { try tasks().texts("name").contains(name) }
        }

        /// Waits for a secret without using the session.
        fileprivate func awaitSecret(_ service: String) throws {
            try eventually("\(service) comes") {
                try (ask("secret list --json").json as? [[String: Any]] ?? [])
                    .texts("service").contains(service)
            }
        }
    }
#endif
