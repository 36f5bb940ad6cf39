internal import CommandLine
internal import SecureStorage
internal import VaultAgent
internal import VaultCore

extension CommandContext {
    /// Shows protected words: on a terminal only as long as they may be seen, elsewhere as they are.
    ///
    /// - Parameters:
    ///   - page: The words for people.
    ///   - store: Where they come from.
    ///   - json: Writes the words for programs.
    /// - Throws: `interrupted` by a signal; why the terminal or the output failed.
    func showing(
        _ page: some Page, _ store: OpenStore,
        _ json: (inout JSONWriter<Output>) throws(OutputError) -> Void
    ) throws(CommandFailure) {
        let isTerminal = Descriptor.isTerminal(surroundings.output)
        if isJSON {
            if isTerminal { warnThatWordsStay() }
            return try printJSON(json)
        }
        guard isTerminal else { return try print(page) }
        let capabilities = TerminalCapabilities(of: surroundings.output)
        let permission = RevealPermission(store)
        let ending: TransientPager.Ending
        do throws(ScreenError) {
            ending = try TransientPager().show(while: { permission.ask() }) { columns in
                page.lines(capabilities.resized(to: columns))
            }
        } catch {
            switch error {
            case .noTerminal, .cannotClear:
                warnThatWordsStay()
                return try print(page)
            case .failed(let failure):
                throw CommandFailure(
                    .failure, code: "terminal", "the terminal failed: \(failure.explanation)")
            }
        }
        switch ending {
        case .closed, .terminalGone: return
        case .hidden:
            notices.remark("hidden: \(folders.command(page.command)) shows it again")
        case .signal: throw CommandFailure(.interrupted, "interrupted")
        }
    }
}

extension CommandContext {
    /// Says that protected words are about to be shown where nobody takes them away.
    func warnThatWordsStay() {
        notices.warn(
            "cannot_clear",
            "what is shown here stays on the screen: clear it yourself, scrollback included")
    }
}

/// Whether protected words that are on a screen may stay there.
final class RevealPermission {
    private let agent: AgentClient?
    private let clock: any SessionClock
    private var deadline: Duration

    /// Begins with words that were just read.
    init(_ store: OpenStore, clock: any SessionClock = SystemSessionClock()) {
        agent = store.agent
        self.clock = clock
        let window = (store.secrets as? UnlockedVault)?.settings?.verificationWindow
        deadline = clock.now + .seconds(Int64(window ?? VaultSettings.standard.verificationWindow))
    }

    /// Asks the agent whether it still holds the key. Where there is none, the window of the vault that was opened for this command counts.
    func ask() -> TextPermission {
        let now = clock.now
        if let agent {
            // An agent that does not answer has perhaps been stopped; it may not be waited for with words on the screen.
            guard now < deadline, let status = try? agent.status(within: .milliseconds(500)),
                status.isUnlocked, status.isVerified
            else { return .hidden }
            deadline = now + .milliseconds(Int64(status.verificationLeft))
        }
        return now < deadline ? .shownFor(deadline - now) : .hidden
    }
}
