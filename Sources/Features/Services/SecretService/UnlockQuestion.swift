#if os(Linux)
    internal import Platform
    internal import SecretMemory
    internal import Synchronization

    /// The question for the passphrase, asked once for all who wait, in a thread of its own. Not thread-safe.
    final class UnlockQuestion {
        /// How a question ended.
        enum Ending: Sendable {
            case unlocked
            /// The person wants no more questions.
            case cancelled
            /// There is no way to ask.
            case impossible
        }

        /// A question that is being asked. Thread-safe.
        final class Asked: Sendable {
            /// The program that waits.
            let program: String
            let vault: any ProgramVault
            /// The process that asks; -1 once the answer is no longer wanted.
            let process = Mutex<pid_t>(0)

            init(_ program: String, _ vault: any ProgramVault) {
                self.program = program
                self.vault = vault
            }

            /// Whether the answer is still wanted.
            var isWanted: Bool { process.withLock { $0 >= 0 } }
        }

        /// How questions ended, told by their threads. Thread-safe.
        private final class Endings: Sendable {
            let news: SystemPipe
            let all = Mutex<[Ending]>([])

            init() throws { news = try SystemPipe(isBlocking: false) }
        }

        typealias Ask = @Sendable (Asked) -> Ending

        private let vault: any ProgramVault
        private let ask: Ask
        private let endings: Endings
        private var asked: Asked?

        init(_ vault: any ProgramVault, _ ask: @escaping Ask) throws {
            self.vault = vault
            self.ask = ask
            endings = try Endings()
        }

        /// Readable when a question has ended.
        var descriptor: Int32 { endings.news.reader }

        /// Asks, unless that is being done.
        func begin(for program: String) {
            guard asked == nil else { return }
            let new = Asked(program, vault)
            asked = new
            let isStarted = DetachedThread.start { [ask, endings] in
                let ending = ask(new)
                // A question that nobody waits for any more has no end.
                guard new.isWanted else { return }
                endings.all.withLock { $0.append(ending) }
                endings.news.signal()
            }
            if !isStarted { asked = nil }
        }

        /// Takes the question back.
        func end() {
            let process = asked?.process.withLock { process in
                defer { process = -1 }
                return process
            }
            if let process, process > 0 { kill(-process, SIGTERM) }
            asked = nil
            endings.all.withLock { $0 = [] }
        }

        /// How the question ended; nil if it did not.
        func take() -> Ending? {
            var byte: UInt8 = 0
            while unsafe read(endings.news.reader, &byte, 1) == 1 {}
            let ending = endings.all.withLock { endings in
                defer { endings = [] }
                return endings.last
            }
            if ending != nil { asked = nil }
            return ending
        }

        /// How many wrong passphrases end a question.
        private static let mostTries = 3

        /// Asks by `pinentry`, if a window or a terminal is at hand.
        @Sendable static func pinentry(_ asked: Asked) -> Ending {
            let hasWindow = ["DISPLAY", "WAYLAND_DISPLAY"].contains { (name: String) in
                unsafe getenv(name).map { unsafe $0.pointee != 0 } ?? false
            }
            let terminal =
                unsafe isatty(0) == 1 ? ttyname(0).map { unsafe String(cString: $0) } : nil
            guard hasWindow || terminal != nil,
                let path = ProgramProcess.path(of: "pinentry"),
                let pinentry = try? Pinentry(path, on: hasWindow ? nil : terminal)
            else { return .impossible }
            let isWanted = asked.process.withLock { process in
                if process == 0 { process = pinentry.process }
                return process > 0
            }
            guard isWanted else { return .cancelled }
            var error: String?
            for _ in 0..<mostTries {
                let typed: SecretBytes?
                do {
                    typed = try pinentry.passphrase(
                        for: "\(asked.program) waits for your vault.", after: error)
                } catch {
                    return .impossible
                }
                guard let passphrase = typed else { return .cancelled }
                switch asked.vault.unlock(with: passphrase) {
                case .unlocked: return .unlocked
                case .wrongPassphrase: error = "wrong passphrase"
                case .failed(let reason):
                    asked.vault.report(reason, hint: "taskvault unlock")
                    return .cancelled
                }
            }
            return .cancelled
        }
    }
#endif
