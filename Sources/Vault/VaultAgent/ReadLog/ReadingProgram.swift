internal import Platform
internal import Synchronization

/// The reading program, with names that it can choose: information, not proof.
public struct ReadingProgram: Sendable, Hashable {
    /// The process identifier; 0 if unknown.
    public var process: UInt32
    /// The name of the program; empty if unknown.
    public var program: String
    /// The name of the process that started it; empty if unknown.
    public var parent: String

    /// Creates a description.
    public init(process: UInt32, program: String, parent: String) {
        self.process = process
        self.program = program
        self.parent = parent
    }

    /// This process.
    public static var own: ReadingProgram { ReadingProgram(of: getpid()) }

    /// The program of a process. If the process has ended, only its number is known.
    init(of process: Int32) {
        self.init(process: UInt32(clamping: process), program: "", parent: "")
        // While a descriptor of the live process is open, no other process can have its number.
        guard let handle = PeerUser.Process(process) else { return }
        let name = PeerUser.program(process) ?? ""
        let starter = PeerUser.parent(of: process).flatMap(PeerUser.program) ?? ""
        guard handle.isRunning else { return }
        program = name
        parent = starter
    }

    /// The program at the other end of a socket.
    init(at socket: Int32) {
        if let process = PeerUser.process(socket) {
            self.init(of: process)
        } else {
            self.init(process: 0, program: "", parent: "")
        }
    }
}

/// The program at the other end of a connection, determined once, or the process that it names.
/// Thread-safe.
final class ConnectedProgram: Sendable {
    private let known = Mutex<ReadingProgram?>(nil)
    private let isBackground = Mutex(false)

    /// Makes the requests of the connection extend no limit from now on.
    func becomeBackground() { isBackground.withLock { $0 = true } }

    /// The kind that a use by the connection counts as.
    func counted(_ use: AgentSession.Use) -> AgentSession.Use {
        isBackground.withLock { $0 } ? .none : use
    }

    /// Makes the connection read in the name of another process; 0 restores its own.
    func announce(_ process: UInt32, _ application: String) {
        known.withLock { known in
            known = process == 0 ? nil : ReadingProgram(of: Int32(clamping: process))
            if !application.isEmpty { known?.program = application }
        }
    }

    func program(at socket: Int32) -> ReadingProgram {
        known.withLock { known in
            let program = known ?? ReadingProgram(at: socket)
            known = program
            return program
        }
    }
}
