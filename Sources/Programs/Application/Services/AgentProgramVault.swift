#if os(Linux)
    internal import Platform
    internal import SecretMemory
    internal import SecureStorage
    package import Services
    internal import Synchronization
    internal import TextCoding
    internal import VaultAgent

    /// The vault for the Secret Service, through its agent. Thread-safe.
    final class AgentProgramVault: ProgramVault {
        /// The largest number of programs that are remembered.
        private static let mostReaders = 1_000
        /// The time limit of an unlock: earlier attempts may each wait for a slow key derivation.
        private static let timeLimit: Duration = .seconds(180)

        /// The time limit of the agent's first answer: clients of the bus give up after 25 seconds.
        private static let answerTime: Duration = .seconds(5)

        private let application: @Sendable () throws -> Application
        private let home: String?
        private let folders: VaultFolders
        private let held = Mutex<AgentClient?>(nil)
        /// The file with the names of programs that have read a secret, one per line.
        private let readers: String?

        /// Creates the vault. Each thread that uses it calls `application`.
        init(_ application: @escaping @Sendable () throws -> Application) throws {
            self.application = application
            let own = try application()
            home = own.options.home
            folders = own.folders
            readers = folders.state.map { $0 + "/readers" }
        }

        /// The agent; the same one while it runs.
        private func agent() throws -> AgentClient {
            if let agent = held.withLock({ $0 }) { return agent }
            let vault = try application().vault
            guard let agent = try vault.agent() else {
                try vault.requirePossible()
                throw SecureStoreError.locked
            }
            held.withLock { $0 = agent }
            return agent
        }

        private func use<Result>(_ body: (AgentClient) throws -> Result) throws -> Result {
            do {
                return try body(try agent())
            } catch {
                switch error as? AgentError {
                case .vault(.store(let error)): throw error
                case .notRunning, .connectionLost:
                    // The next agent may listen at another place.
                    held.withLock { $0 = nil }
                    try application().vault.requirePossible()
                    throw SecureStoreError.locked
                default: throw error
                }
            }
        }

        package func secrets() throws -> any SecureStore { try use { $0 } }

        package func secrets(for reader: SecretReader) throws -> any SecureStore {
            try use { agent in
                try agent.announceReader(
                    UInt32(clamping: reader.process), reader.isSandboxed ? reader.program : "")
                return agent
            }
        }

        func generation() throws -> ProgramVaultGeneration {
            let generation = try use { try $0.generation(within: Self.answerTime) }
            return ProgramVaultGeneration(
                vault: generation.counter, session: generation.sessionSecrets)
        }

        package func vaultID() throws -> [UInt8] { try use { try $0.vaultID() } }

        package func lock() throws { _ = try use { try $0.lock() } }

        // Reads the setting at each call, so that a denial applies at once. While an agent runs, there
        // is a vault.
        package func access() throws -> ProgramAccess {
            let access = try folders.programAccess()
            if access != .off, held.withLock({ $0 }) == nil {
                try application().vault.requirePossible()
            }
            return access
        }

        package func unlock(with passphrase: borrowing SecretBytes) -> UnlockOutcome {
            do {
                return try unlockByCommand(passphrase)
            } catch {
                return .failed("the vault could not be unlocked: \(Self.reason(error))")
            }
        }

        private static func reason(_ error: any Error) -> String {
            (error as? SystemFailure)?.explanation ?? "no memory"
        }

        /// Runs `taskvault unlock`, which starts the agent and signs in as from a terminal.
        private func unlockByCommand(_ passphrase: borrowing SecretBytes) throws -> UnlockOutcome {
            guard let program = Self.program else {
                return .failed("taskvault is no longer where it was started from")
            }
            var words = [program, "unlock", "--passphrase-file", "-"]
            if let home { words += ["--home", home] }
            let input = try SystemPipe()
            let process = try ChildProcess.start(words, input: input.reader)
            input.closeReader()
            try passphrase.withBytes { try Descriptor.write($0, to: input.writer) }
            try unsafe Descriptor.write([0x0A as UInt8].span.bytes, to: input.writer)
            input.closeWriter()
            switch process.wait(atMost: Self.timeLimit).exitCode {
            case ExitCode.done.rawValue?: return .unlocked
            case ExitCode.wrongPassphrase.rawValue?: return .wrongPassphrase
            case let code?: return .failed("taskvault unlock ended with code \(code)")
            case nil: return .failed("taskvault unlock was ended")
            }
        }

        /// The path of `taskvault`: beside this program, or in the folder of installed programs.
        private static var program: String? {
            var path = [CChar](repeating: 0, count: Int(PATH_MAX))
            let size = unsafe readlink("/proc/self/exe", &path, path.count)
            if size > 0, size < path.count {
                let own = String(
                    decoding: path.prefix(size).map { UInt8(bitPattern: $0) }, as: UTF8.self)
                let beside = SafeFolder.split(own).folder + "/taskvault"
                if FileSystem.exists(beside) { return beside }
            }
            return Executable.path(of: "taskvault")
        }

        package func registerReader(_ reader: SecretReader) -> Bool {
            guard let readers else { return false }
            let content = FileSystem.content(readers, limit: Self.mostReaders * 128) ?? []
            var known = String(decoding: content, as: UTF8.self).split(separator: "\n")
                .map(String.init)
            guard !known.contains(reader.program) else { return false }
            known.append(reader.program)
            do {
                try SafeFolder.create(SafeFolder.split(readers).folder)
                try FileSystem.replace(
                    readers,
                    with: known.suffix(Self.mostReaders).joined(separator: "\n") + "\n")
            } catch {
                report(
                    "the programs that read secrets cannot be remembered in \(readers)", hint: "")
            }
            return true
        }

        package func report(_ line: String, hint: String) {
            guard let application = try? application() else { return }
            application.owner.report(
                Failure(
                    .failure, code: "secret_service", line, hint: hint.isEmpty ? nil : hint))
        }
    }

    /// The Secret Service in its own thread.
    package final class SecretServing {
        private let stop: SystemPipe
        private let ended = Monitor(false)
        private static let timeLimit: Duration = .seconds(2)

        /// Starts the service.
        ///
        /// - Parameters:
        ///   - application: Creates the operations of a thread.
        ///   - replaces: Whether to replace another program that offers the service.
        /// - Throws: `SystemFailure`; as `application`.
        package init(
            _ application: @escaping @Sendable () throws -> Application, replacing replaces: Bool
        ) throws {
            stop = try SystemPipe(isBlocking: false)
            let vault = try AgentProgramVault(application)
            let (descriptor, ended) = (stop.reader, ended)
            let isStarted = DetachedThread.start {
                SecretServiceLoop.run(vault, replacing: replaces, until: descriptor)
                ended.update { $0 = true }
            }
            if !isStarted { throw SystemFailure("pthread_create", code: EAGAIN) }
        }

        /// Ends the service.
        package func end() {
            stop.signal()
            _ = ended.wait(until: .now + Self.timeLimit) { $0 ? true : nil }
        }
    }

    extension VaultFolders {
        /// The secrets that programs can use over D-Bus on this machine.
        package func programAccess() throws -> ProgramAccess {
            let setting = StoredSetting.servicesSecrets
            let value = try setting.canonical(
                SettingsFile(ofMachine).read()[setting],
                hint: "taskvault settings set \(setting.name) \(setting.standard)")
            return ProgramAccess(rawValue: value) ?? .off
        }
    }
#endif

extension VaultFolders {
    /// Whether an interface for other programs is on for this machine.
    package func isOn(_ interface: StoredSetting) throws -> Bool {
        try SettingsFile(ofMachine).read()[interface] == StoredSetting.on
    }
}
