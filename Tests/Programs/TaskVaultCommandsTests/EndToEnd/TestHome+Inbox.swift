import Foundation
import Testing
import TestSupport

extension TestHome {
    /// Runs a command of the inbox.
    @discardableResult
    func inbox(_ words: String..., input: String = "") throws -> RunResult {
        try runBare(["inbox"] + words, input: Array(input.utf8))
    }

    /// Runs a command of the inbox that must work.
    @discardableResult
    func doInbox(
        _ words: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RunResult {
        let result = try runBare(["inbox"] + words, input: Array(input.utf8))
        #expect(
            result.exitCode == 0, "\(words): \(result.errorText)", sourceLocation: sourceLocation)
        return result
    }

    /// The messages as `inbox list --json` shows them.
    func messages(
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [[String: Any]] {
        let listed = try runBare(["inbox", "list", "--json"])
        #expect(listed.exitCode == 0, "\(listed.errorText)", sourceLocation: sourceLocation)
        return try #require(listed.json as? [[String: Any]], sourceLocation: sourceLocation)
    }

    /// Takes a message from a file.
    ///
    /// - Returns: Its id.
    func receive(
        _ json: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let received = try runBare(["inbox", "receive", "-", "--json"], input: Array(json.utf8))
        #expect(received.exitCode == 0, "\(received.errorText)", sourceLocation: sourceLocation)
        let messages = try #require(
            received.json as? [[String: Any]], sourceLocation: sourceLocation)
        return try #require(messages.first?["id"] as? String, sourceLocation: sourceLocation)
    }
}

/// Expects an exit code, and standard error to contain these texts.
func expectError(
    _ result: RunResult, ends code: Int32, _ parts: String...,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(result.exitCode == code, "\(result.errorText)", sourceLocation: sourceLocation)
    for part in parts {
        #expect(result.errorText.contains(part), sourceLocation: sourceLocation)
    }
}
