#if os(Linux)
    internal import Platform
    internal import SecretMemory
    internal import Synchronization

    /// The passphrase dialog. One dialog, in its own thread, serves all waiting clients. Not
    /// thread-safe.
    final class PassphraseDialog {
        /// The result of a dialog.
        enum Outcome: Sendable {
            case unlocked
            /// The user closed the dialog.
            case cancelled
            /// There is neither a window nor a terminal, or `pinentry` fails at both.
            case impossible
        }

        /// An open dialog. Thread-safe.
        final class Request: Sendable {
            /// The program that is waiting for the vault.
            let program: String
            let vault: any ProgramVault
            /// The process id of `pinentry`; -1 after the dialog was cancelled.
            let process = Mutex<pid_t>(0)

            init(_ program: String, _ vault: any ProgramVault) {
                self.program = program
                self.vault = vault
            }

            /// Whether the dialog was not cancelled.
            var isActive: Bool { process.withLock { $0 >= 0 } }
        }

        /// The results, appended by the dialogs' threads. Thread-safe.
        private final class OutcomeQueue: Sendable {
            let signal: SystemPipe
            let all = Mutex<[Outcome]>([])

            init() throws { signal = try SystemPipe(isBlocking: false) }
        }

        typealias Ask = @Sendable (Request) -> Outcome

        private let vault: any ProgramVault
        private let ask: Ask
        private let outcomes: OutcomeQueue
        private var request: Request?

        init(_ vault: any ProgramVault, _ ask: @escaping Ask) throws {
            self.vault = vault
            self.ask = ask
            outcomes = try OutcomeQueue()
        }

        /// Readable when a dialog has ended.
        var descriptor: Int32 { outcomes.signal.reader }

        /// Opens the dialog if it is not open.
        func open(for program: String) {
            guard request == nil else { return }
            let new = Request(program, vault)
            request = new
            let isStarted = DetachedThread.start { [ask, outcomes] in
                let outcome = ask(new)
                // A cancelled dialog reports no result.
                guard new.isActive else { return }
                outcomes.all.withLock { $0.append(outcome) }
                outcomes.signal.signal()
            }
            if !isStarted { request = nil }
        }

        /// Cancels the dialog.
        func cancel() {
            let process = request?.process.withLock { process in
                defer { process = -1 }
                return process
            }
            if let process, process > 0 { kill(-process, SIGTERM) }
            request = nil
            outcomes.all.withLock { $0 = [] }
        }

        /// Returns the result and clears it; nil while the dialog is open.
        func takeOutcome() -> Outcome? {
            var byte: UInt8 = 0
            while unsafe read(outcomes.signal.reader, &byte, 1) == 1 {}
            let outcome = outcomes.all.withLock { outcomes in
                defer { outcomes = [] }
                return outcomes.last
            }
            if outcome != nil { request = nil }
            return outcome
        }

        /// The number of wrong passphrases that ends the dialog.
        private static let maximumAttempts = 3

        /// Asks by `pinentry` if there is a window or a terminal.
        @Sendable static func pinentry(_ request: Request) -> Outcome {
            let hasWindow = ["DISPLAY", "WAYLAND_DISPLAY"].contains { (name: String) in
                unsafe getenv(name).map { unsafe $0.pointee != 0 } ?? false
            }
            let terminal =
                unsafe isatty(0) == 1 ? ttyname(0).map { unsafe String(cString: $0) } : nil
            guard let path = Executable.path(of: "pinentry") else { return .impossible }
            var places: [String?] = hasWindow ? [nil] : []
            if let terminal { places.append(terminal) }
            return run(path, for: request, at: places)
        }

        /// Asks by this `pinentry` at the first place where it can ask: a terminal, or nil for a
        /// window.
        static func run(_ path: String, for request: Request, at places: [String?]) -> Outcome {
            for place in places {
                if let outcome = run(path, for: request, on: place) { return outcome }
            }
            return .impossible
        }

        /// - Returns: nil if `pinentry` cannot ask there.
        private static func run(
            _ path: String, for request: Request, on terminal: String?
        ) -> Outcome? {
            guard let pinentry = try? Pinentry(path, on: terminal) else { return nil }
            let isActive = request.process.withLock { process in
                if process >= 0 { process = pinentry.process.id }
                return process > 0
            }
            guard isActive else { return .cancelled }
            // The process ends with this function.
            defer { request.process.withLock { if $0 > 0 { $0 = 0 } } }
            var error: String?
            for _ in 0..<maximumAttempts {
                let typed: SecretBytes?
                do {
                    typed = try pinentry.passphrase(
                        for: "\(request.program) waits for your vault.", after: error)
                } catch {
                    return nil
                }
                guard let passphrase = typed else { return .cancelled }
                switch request.vault.unlock(with: passphrase) {
                case .unlocked: return .unlocked
                case .wrongPassphrase: error = "wrong passphrase"
                case .failed(let reason):
                    request.vault.report(reason, hint: "taskvault unlock")
                    return .impossible
                }
            }
            return .cancelled
        }
    }
#endif
