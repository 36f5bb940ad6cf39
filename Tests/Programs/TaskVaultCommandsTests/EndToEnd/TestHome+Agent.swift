import Platform
import Testing

extension TestHome {
    /// Runs a command, its words parted by blanks, through the agent and without a passphrase.
    @discardableResult
    func ask(_ words: String, input: String = "") throws -> RunResult {
        try runBare(words.split(separator: " ").map(String.init), input: Array(input.utf8))
    }

    /// Unlocks, and expects that to work.
    ///
    /// - Returns: The agent's process.
    @discardableResult
    func unlock(sourceLocation: SourceLocation = #_sourceLocation) throws -> pid_t {
        let unlocked = try runBare(["unlock", "--json", "--passphrase-file", passphraseFile])
        #expect(unlocked.exitCode == 0, "\(unlocked.errorText)", sourceLocation: sourceLocation)
        let process = try #require(
            unlocked.object["process_id"] as? Int, sourceLocation: sourceLocation)
        return pid_t(process)
    }

    /// The output of `status --json`.
    var status: [String: Any] {
        get throws { try ask("status --json").object }
    }

    /// `none`, `locked`, `unlocked` or `verified`.
    var state: String {
        get throws {
            let status = try status
            if status["verified"] as? Bool == true { return "verified" }
            return status["state"] as? String ?? "unknown"
        }
    }

    /// Waits for a state that time brings.
    func waitFor(_ state: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let isThere = try Processes.wait { try self.state == state }
        let found = try self.state
        #expect(isThere, "still \(found)", sourceLocation: sourceLocation)
    }

    /// Saves a secret through the agent, and expects that to work.
    func tell(
        _ value: String, _ service: String = "mail.example", options: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let saved = try ask("secret set \(service) ada \(options)", input: value)
        #expect(saved.exitCode == 0, "\(saved.errorText)", sourceLocation: sourceLocation)
    }

    /// Expects a value to come through the agent.
    func expectValue(
        _ value: String, _ service: String = "mail.example",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try ask("secret get \(service) ada")
        #expect(found.exitCode == 0, "\(found.errorText)", sourceLocation: sourceLocation)
        #expect(found.outputText == value, sourceLocation: sourceLocation)
    }
}
