import Platform
import SecretMemory
import SecureStorage
import Synchronization
import VaultAgent
import VaultCore
import VaultStorage

/// A running agent over a copy of a vault.
final class AgentHome {
    /// The folder.
    let path: String
    /// How many items the vault has.
    let itemCount: Int
    /// `taskvault`, of the same build.
    let executable: String
    let process: pid_t
    private let place: AgentPlace

    /// Copies the vault and starts its agent.
    init(of vault: BenchmarkVault, in folder: ScratchFolder, named name: String) throws {
        path = try folder.makeFolder(name)
        itemCount = vault.itemCount
        executable = TaskVaultExecutable.path
        _ = try folder.copy(vault.path, to: name + "/vault.db")
        // Of its own, because a machine that saw later changes of the same vault refuses a copy.
        unsafe setenv("XDG_STATE_HOME", folder.path(of: name + "-state"), 1)
        process = try Child.start([executable, "--home", path, "agent"])
        place = try AgentPlace(vaultFile: path + "/vault.db", runtimeFolder: nil)
    }

    /// A new client; waits for an agent that has just been started.
    func client() throws -> AgentClient {
        for _ in 0..<500 {
            do {
                return try AgentClient(place, programVersion: "benchmark")
            } catch AgentError.notRunning {
                usleep(10_000)
            }
        }
        throw BenchmarkFailure("the agent does not answer")
    }

    /// The time of a lock while this process has the write lock of the vault file, and a client's write waits for it.
    func timeLockingDuringWrite(_ client: AgentClient) throws -> Double {
        let other = try VaultDatabase.open(.file(path + "/vault.db"), mode: .readWrite)
        defer { other.close() }
        let writing = try self.client()
        let isSaved = Atomic(false)
        let time = try other.write { _ in
            let write = Thread {
                let name = try? SecretName(service: "during", account: "write")
                guard let name, let value = try? SecretBytes(count: 1) else { return }
                if (try? writing.save(value, as: name, SecretAttributes())) != nil {
                    isSaved.store(true, ordering: .relaxed)
                }
            }
            usleep(50_000)
            defer { write.join() }
            return try Clock.time { _ = try client.lock() }
        }
        guard !isSaved.load(ordering: .relaxed) else {
            throw BenchmarkFailure("a write was made without the lock")
        }
        return time
    }

    /// Ends the agent.
    func end() {
        kill(process, SIGTERM)
        var status: Int32 = 0
        unsafe waitpid(process, &status, 0)
    }

    /// The agent's resident memory by `/proc/PID/status`.
    func residentMebibytes() throws -> Double {
        Double(try ProcessStatus.kibibytes("VmRSS:", of: "\(process)")) / 1_024
    }
}
