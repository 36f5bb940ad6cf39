import CommandLine
import Platform
import SignIn
import Synchronization
@testable import TaskVaultCommands
import Testing
import TestSupport
import VaultAgent

/// Two settings of the sign-in that are changed in one moment.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SettingsConflictTests {
    /// A command in this process, with the place's surroundings.
    private func context(_ place: AccountHome, _ arguments: [String]) throws -> CommandContext {
        let parsed = try CommandParser(.taskvault).parse(arguments)
        guard case .run(let invocation) = parsed else { throw HarnessFailure("parse", code: 0) }
        return try CommandContext(
            invocation,
            Surroundings(
                environment: EnvironmentVariables(place.home.environment),
                standardInput: .standard, output: STDOUT_FILENO, errors: STDERR_FILENO,
                openTerminal: { () throws(InputError) in throw .noTerminal }))
    }

    /// The second try finds no token any more, and the server is told of the first one's all the same.
    @Test(arguments: [("server", "none"), ("allow-caching-credentials", "no")])
    func aSessionThatIsForgottenIsEnded(name: String, value: String) throws {
        let place = try AccountHome()
        #expect(try place.server.sessions() == 1)
        let agent = try AgentClient(
            AgentPlace(vaultFile: place.home.vault, runtimeFolder: nil), programVersion: "test")
        let changes = Mutex(0)
        let store = HookedStore(base: agent) { removed in
            guard removed.service.hasPrefix("taskvault.session:") else { return }
            changes.withLock { $0 += 1 }
            do {
                try SignInSettings.change(agent) { $0.offlineLimit = 3_600 }
            } catch {
                Issue.record(error)
            }
        }
        let setting = try #require(SignInSettingName(rawValue: name))
        let settings = try context(place, ["settings", "set", name, value]).set(
            setting, to: value, in: store)
        #expect(settings.offlineLimit == 3_600)
        #expect(setting.text(settings) == value)
        #expect(changes.withLock { $0 } == 1)
        #expect(try place.ask("settings get \(name)").outputText == value + "\n")
        #expect(try place.cachedKinds() == [])
        #expect(try place.server.sessions() == 0)
    }
}
