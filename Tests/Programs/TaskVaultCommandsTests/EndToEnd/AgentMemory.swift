#if os(Linux)
    import Glibc
    import SecretMemory
    import TestSupport
    import Testing
    import Sealing
    import VaultStorage

    /// The memory of a real agent, and secrets that are looked for in it. Everything secret is random in each run.
    final class AgentMemory {
        /// The values that a session holds while it is unlocked, each once.
        static let sessionKeys: Set = [
            "lookup key", "row-hash key", "state key", "attribute key", "value key 1",
            "value key 2",
        ]

        let home: TestHome
        let agent: pid_t
        let recoveryCode: String
        private let mayLock: Bool
        private var secrets: [MaskedSecret] = []
        /// The ends of the names of the vault's present keys.
        private var suffix = ""
        /// The session's keys as they are called since the last rekey.
        var presentKeys: Set<String> { Set(Self.sessionKeys.map { $0 + suffix }) }

        /// Makes a vault with a random passphrase and starts its agent, locked.
        init(launcher: [String] = []) throws {
            home = try TestHome(withVault: false)
            home.launcher = launcher
            let passphrase = Self.randomText(24)
            try Files.write(passphrase + "\n", to: home.passphraseFile)
            let made = try home.run(["init"] + TestHome.cheap)
            recoveryCode = try TestHome.recoveryCode(in: made.outputText)
            agent = try home.unlock()
            mayLock = try home.status["memory_locked"] as? Bool == true
            try home.ask("lock")
            try lookFor("passphrase", passphrase)
            try lookFor("recovery code", recoveryCode)
            try lookForKeys("")
        }

        /// Characters that no other text has by chance, eight in a row.
        static func randomText(_ count: Int) -> String {
            String(
                (0..<count).map { _ in "abcdefghijkmnpqrstuvwxyz23456789".randomElement() ?? "a" })
        }

        /// Adds a text.
        func lookFor(_ name: String, _ text: String) throws {
            lookFor(name, try Samples.secret(text))
        }

        /// Adds bytes.
        func lookFor(_ name: String, _ secret: borrowing SecretBytes) {
            secrets.append(MaskedSecret(name, secret))
        }

        /// A new text that is looked for: random characters, or of a long one those at both ends.
        func newText(_ name: String, _ count: Int = 40) throws -> String {
            guard count > 400 else {
                let text = Self.randomText(count)
                try lookFor(name, text)
                return text
            }
            let ends = [Self.randomText(100), Self.randomText(100)]
            try lookFor(name + ", its begin", ends[0])
            try lookFor(name + ", its end", ends[1])
            return ends[0] + String(repeating: " ", count: count - 200) + ends[1]
        }

        /// Adds the keys that the vault has now, by the format's documentation.
        func lookForKeys(_ suffix: String) throws {
            self.suffix = suffix
            let typed = try Files.read(home.passphraseFile).dropLast()
            let storage = try VaultDatabase.openFile(at: home.vault, mode: .readOnly)
            defer { storage.close() }
            for key in try VaultKeysOfFormat.masked(
                of: storage, passphrase: Passphrase(typed: Samples.secret(Array(typed))))
            {
                secrets.append(key.named(key.name + suffix))
            }
        }

        /// The findings, by name.
        func findings() throws -> [String: MemoryScan.Finding] {
            let scan = try #require(MemoryScan(of: agent))
            for secret in secrets { scan.add(secret) }
            guard let findings = try scan.run() else {
                try Test.cancel("the memory is a sanitizer's")
            }
            return findings
        }

        /// Waits until no client is served any more.
        func rest() {
            let isAlone = Processes.wait { Files.names(in: "/proc/\(agent)/task").count == 1 }
            #expect(isAlone, "a thread is left")
        }

        /// Another passphrase, random as the first.
        func changePassphrase(_ name: String) throws {
            let passphrase = Self.randomText(24)
            let old = String(
                decoding: try Files.read(home.passphraseFile).dropLast(), as: UTF8.self)
            let changed = try home.ask(
                "passphrase change --passphrase-file -", input: "\(old)\n\(passphrase)\n")
            #expect(changed.exitCode == 0, "\(changed.errorText)")
            try lookFor(name, passphrase)
            try Files.write(passphrase + "\n", to: home.passphraseFile)
        }

        /// Expects these secrets once, in memory that is locked and left out of dumps, and nothing of the others.
        ///
        /// - Returns: How many windows of the secrets were found.
        @discardableResult
        func expect(
            _ present: Set<String>, _ step: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> Int {
            rest()
            var found = 0
            for (name, finding) in try findings() {
                found += finding.found
                #expect(
                    finding.copies == (present.contains(name) ? 1 : 0),
                    "\(step): \(name), \(finding.found) of \(finding.counts.count) windows, \(finding.flags.sorted())",
                    sourceLocation: sourceLocation)
                if present.contains(name), mayLock {
                    #expect(
                        finding.isProtected, "\(step): \(name), \(finding.flags.sorted())",
                        sourceLocation: sourceLocation)
                }
            }
            return found
        }

        /// Waits until a key of the session is gone, without asking the agent anything.
        func waitFor(
            theEndOf key: String, sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            #expect(
                try Processes.wait { try findings()[key + suffix]?.found == 0 }, "\(key) is there",
                sourceLocation: sourceLocation)
        }
    }
#endif
