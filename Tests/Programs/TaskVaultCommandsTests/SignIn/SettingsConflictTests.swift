@testable import Application
import CommandLine
import Platform
import SecretMemory
import SignIn
import Synchronization
@testable import TaskVaultCommands
import Testing
import TestSupport
import TextCoding
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
                openTerminal: { throw InputError.noTerminal }))
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
        let setting = try #require(StoredSetting.named(name))
        let settings = try context(place, ["settings", "set", name, value]).settings.set(
            setting, to: value, in: store)
        #expect(settings.offlineLimit == 3_600)
        guard case .signInItem(let get, _) = setting.storage else {
            Issue.record("\(name) is in the vault's item")
            return
        }
        #expect(get(settings) == value)
        #expect(changes.withLock { $0 } == 1)
        #expect(try place.ask("settings get \(name)").outputText == value + "\n")
        #expect(try place.cachedKinds() == [])
        #expect(try place.server.sessions() == 0)
    }
}
