#if os(Linux)
    import Foundation
    import Glibc
    import TestSupport
    import Testing

    /// Commands that are ended, or let down by the system, anywhere between the two stores: text is never lost, and never in the clear.
    @Suite(
        .timeLimit(.minutes(60)), .enabled(if: WallClock.isAvailable, "libfaketime is missing"),
        .disabled(if: Sanitizer.isActive, "a sanitizer has to be the first library"),
        .waitsForProcesses)
    struct TaskFaultTests {
        /// Of each command.
        private static let sample = Attack.amount("TASKVAULT_TASK_FAULTS", ordinary: 5)
        private static let calls = [
            "pwrite64", "write", "fdatasync", "fsync", "ftruncate", "unlink", "unlinkat", "rename",
        ]
        private static let effects = [
            "signal=KILL:when=%", "error=EIO:when=%", "error=ENOSPC:when=%+",
        ]
        private static let id = "k7m2qx"

        /// A home with a task among others, whose text is in the vault or not.
        private static func prepare(
            _ home: TestHome, _ secret: SecretText, isProtected: Bool
        ) throws {
            try home.surround()
            try home.make()
            try home.importTasks(
                (0..<60).map { ImportedTask(id: "zz00" + String(10 + $0), name: "Geschenk \($0)") })
            try home.importTasks([ImportedTask(id: id, name: secret.name)])
            guard isProtected else { return }
            #expect(try home.run(["task", "protect", id]).exitCode == 0)
        }

        private enum Step: String, CaseIterable {
            case add, protect, unprotect, edit, remove

            var command: String {
                switch self {
                case .add: "task add --protected"
                case .protect: "task protect \(id)"
                case .unprotect: "task unprotect \(id)"
                case .edit: "task edit \(id) --name -"
                case .remove: "task remove --yes \(id)"
                }
            }
        }

        @Test(
            .enabled(if: Tracer.isUsable, Tracer.reason),
            arguments: ["add", "protect", "unprotect", "edit", "remove"])
        func noFailureLosesOrLeaksProtectedText(name: String) throws {
            let step = try #require(Step(rawValue: name))
            let home = try TestHome(withVault: false)
            let (secret, second) = (SecretText(), SecretText())
            let scenario = FaultScenario(
                testDescription: name, command: step.command,
                lines: [TestHome.passphrase, second.name], prepare: { _ in }, outcome: { _ in nil })
            try Self.prepare(
                home, secret, isProtected: [.unprotect, .edit, .remove].contains(step))
            let before = try HomeCopy(of: home)
            var faults = try SystemCallFault.all(
                of: scenario, in: home, calls: Self.calls, effects: Self.effects)
            #expect(faults.count > 20)
            var generator = SeededGenerator(seed: 1 + Attack.round)
            faults = Array(faults.shuffled(using: &generator).prefix(Self.sample))
            var struck = 0
            for fault in faults {
                try before.restore()
                let (result, isStruck) = try fault.strike(scenario, in: home)
                if isStruck { struck += 1 }
                unsafe unlink(home.folder + "/trace")
                try expectWhole(
                    home, step, secret, second, isDone: result.exitCode == 0,
                    "\(fault), exit \(result.exitCode): \(result.errorText)")
            }
            #expect(struck * 2 >= faults.count, "\(struck) of \(faults.count)")
            Attack.report(["scenarios": 1, "faults": faults.count, "struck": struck])
        }

        @Test(arguments: ["add", "protect"])
        func clientsThatAreKilledAtAnyMoment(name: String) throws {
            let step = try #require(Step(rawValue: name))
            let home = try TestHome(withVault: false)
            let (secret, second) = (SecretText(), SecretText())
            try Self.prepare(home, secret, isProtected: false)
            let before = try HomeCopy(of: home)
            var killed = 0
            for round in 0..<12 {
                try before.restore()
                try home.unlock()
                try Files.write(second.name + "\n", to: home.folder + "/tmp/input")
                let input = try Files.open(home.folder + "/tmp/input", O_RDONLY)
                let sink = try Files.open("/dev/null", O_WRONLY)
                let client = try Executable.start(
                    step.command.split(separator: " ").map(String.init),
                    environment: home.environment, in: home.folder,
                    .init(input: input, output: sink, errors: sink))
                close(input)
                close(sink)
                // At once, so that one is killed; then at random moments, none of them special.
                if round > 0 { usleep(UInt32.random(in: 0...60_000)) }
                kill(client, SIGKILL)
                let code = Executable.wait(for: client)
                if code != 0 { killed += 1 }
                unsafe unlink(home.folder + "/tmp/input")
                try expectWhole(home, step, secret, second, isDone: code == 0, "killed")
            }
            #expect(killed > 0)
        }

        /// Lists the tasks with an unlocked vault, and expects everything to be as before or as wanted then.
        private func expectWhole(
            _ home: TestHome, _ step: Step, _ secret: SecretText, _ second: SecretText,
            isDone: Bool, _ comment: Comment
        ) throws {
            let agent = try home.unlock()
            defer {
                kill(agent, SIGKILL)
                _ = Processes.wait { !Processes.isRunning(agent) }
            }
            // A recent change is left to the process that began it.
            let listed = try home.later("+2m") { try home.tasks("--reveal") }
            #expect(
                listed.count - 60 == (listed.contains { $0["id"] as? String == Self.id } ? 1 : 0)
                    + (listed.texts("name").contains(second.name) && step == .add ? 1 : 0),
                comment)
            let task = listed.first { $0["id"] as? String == Self.id }
            let name = task?["name"] as? String
            let isProtected = task?["protected"] as? Bool
            switch step {
            case .add:
                let hasNew = listed.texts("name").contains(second.name)
                #expect(hasNew || !isDone, comment)
                #expect(name == secret.name, comment)
            case .protect:
                #expect(name == secret.name, comment)
                #expect(isProtected == true || !isDone, comment)
            case .unprotect:
                #expect(name == secret.name, comment)
                #expect(isProtected == false || !isDone, comment)
            case .edit:
                #expect(name == second.name || (!isDone && name == secret.name), comment)
                #expect(isProtected == true, comment)
            case .remove:
                #expect(task == nil || (!isDone && name == secret.name), comment)
            }
            // What the vault has belongs to the tasks that are protected, and to no other.
            let protected = listed.filter { $0["protected"] as? Bool == true }
            #expect(try home.ownItems().count == protected.count, comment)
            let again = try home.later("+2m") { try home.task("list") }
            #expect(again.errors.isEmpty, comment)
            // Where its row has no text, no file has it.
            try expectClean(home, second, comment)
            if isProtected != false { try expectClean(home, secret, comment) }
            #expect(try home.ask("doctor --passphrase-file \(home.passphraseFile)").exitCode == 0)
        }

        private func expectClean(
            _ home: TestHome, _ secret: SecretText, _ comment: Comment
        ) throws {
            let found = try ByteSearch(for: secret.needles).findings(below: home.folder)
                .filter { !$0.key.hasPrefix("copy/") }
            #expect(found.isEmpty, comment)
        }
    }
#endif
