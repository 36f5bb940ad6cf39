package import TextCoding
internal import VaultAgent
internal import VaultCore
internal import Platform

extension Failure {
    /// Maps each error of the agent to its exit code, code and message.
    init(_ error: AgentError, _ errors: ErrorContext) {
        let vault = errors.vault
        switch error {
        case .vault(.store(.locked)), .notRunning:
            self = .locked(vault)
        case .vault(.store(.keysReplaced)):
            self = .keysReplaced(vault)
        case .vault(let error):
            self.init(error, vault, errors)
        case .alreadyRunning:
            self.init(
                .alreadyExists, code: "agent_running", "an agent is already running for this vault",
                hint: vault.command("status"))
        case .otherVersion(let version):
            self.init(
                .failure, code: "agent_version",
                "the running agent has another version (\(version))",
                hint: vault.command("lock") + " ends it; then " + vault.command("unlock"))
        case .notTrusted(let reason):
            self.init(
                .refused, code: "agent_not_trusted", reason,
                hint: "nothing was sent; check the owner of that file")
        case .silent(let process):
            self.init(
                .failure, code: "agent_silent",
                "the agent does not answer" + (process.map { ": process \($0)" } ?? ""),
                hint: process.map { "kill -KILL \($0) ends it and erases its keys" })
        case .unreachable:
            let socket = AgentPlace.notedSocket(of: vault.folders.file)
            self.init(
                .failure, code: "agent_unreachable",
                "an agent is running for this vault, but cannot be reached"
                    + (socket.map { " at \($0)" } ?? ""),
                hint:
                    "in a container, share the folder of its socket, or give --no-agent; otherwise end its process, which ps -u \(geteuid()) -f shows"
            )
        case .connectionLost:
            self.init(
                .failure, code: "agent_lost",
                "connection to the agent lost; the change may have been made",
                hint: vault.command("unlock") + ", then check whether it was made")
        case .malformed:
            self.init(
                .failure, code: "agent_protocol", "invalid response from the agent",
                hint: vault.command("lock") + " ends it")
        case .throttled:
            self.init(
                .refused, code: "throttled", "too many attempts are waiting",
                hint: "wait ten seconds")
        case .memoryNotLocked:
            self = .memoryNotLocked
        case .passkey:
            // Only the local app uses passkeys.
            self.init(.refused, code: "passkey", "the passkey's answer was refused")
        case .finger(let error, let program):
            self.init(error, by: program, errors)
        case .system(let call, let code):
            self.init(
                .failure, code: "agent_system",
                "the agent cannot be reached: \(call), \(SystemFailure(call, code: code).explanation)"
            )
        }
    }

    /// The vault is locked.
    package static func locked(_ vault: VaultReference) -> Failure {
        Failure(.locked, "the vault is locked", hint: vault.command("unlock"))
    }

    /// The agent's session has ended because another process replaced the keys of the vault.
    static func keysReplaced(_ vault: VaultReference) -> Failure {
        Failure(
            .locked, code: "keys_replaced", "keys replaced; unlock again",
            hint: vault.command("unlock"))
    }

    /// The vault requires locked memory, and the system provides none.
    static let memoryNotLocked = Failure(
        .refused, code: "memory_not_locked",
        "this vault requires locked memory, which is not available",
        hint: "raise the limit: ulimit -l")
}
