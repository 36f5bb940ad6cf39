internal import Application
internal import CommandLine
internal import Platform
internal import SecureStorage
internal import Tasks
internal import TextCoding
internal import VaultAgent

/// The names that a completion script offers, from the agent that has the vault unlocked.
///
/// The lookup extends no limit, asks no question and starts no agent. Names with terminal control characters are left out.
struct CompletionNames {
    private let shell: Shell
    private let kind: StoredName
    private let invocation: Invocation
    private let context: CommandContext

    /// Reads the request of the script; nil if it requests no names.
    init?(_ shell: Shell, _ context: CommandContext) throws {
        invocation = context.invocation
        guard let text = invocation.text(of: .names), let kind = StoredName(rawValue: text) else {
            return nil
        }
        self.shell = shell
        self.kind = kind
        let home = Self.typed(.typedHome, shell, context)
        self.context = home.isEmpty ? context : try context.at(home: home)
    }

    /// A word of the command line, without its quotation marks.
    private static func typed(
        _ option: OptionDescription, _ shell: Shell, _ context: CommandContext
    ) -> String {
        let text = context.invocation.text(of: option) ?? ""
        let word = shell == .bash ? BashWord(text).text : text
        guard option == .typedHome, word.hasPrefix("~/"),
            let home = context.console.surroundings.environment["HOME"]
        else { return word }
        return home + word.dropFirst()
    }

    /// The lines for the script: words for bash, otherwise names. A task has its public name after a tab.
    func lines() throws -> [String] {
        let names: [(name: String, meaning: String?)]
        switch kind {
        case .settingValue:
            let setting = StoredSetting.named(Self.typed(.typedService, shell, context))
            names = setting?.examples.map { ($0, nil) } ?? []
        case .task:
            guard try unlockedAgent() != nil else { return [] }
            names = try context.tasks.offered().map {
                ($0.id.text, VisibleText.escape($0.shownName))
            }
        case .list, .tag:
            guard try unlockedAgent() != nil else { return [] }
            let labels = try context.tasks.offeredLabels()
            names = (kind == .list ? labels.lists : labels.tags).map { ($0.name, nil) }
        case .file:
            guard let agent = try unlockedAgent() else { return [] }
            names = try AgentFiles(agent).list(.name).map { ($0.name, nil) }
        case .service, .account, .field, .secretTag:
            guard let agent = try unlockedAgent() else { return [] }
            // A name occurs once per field of the entry.
            var seen: Set<[UInt8]> = []
            names = try secrets(agent).flatMap(self.names)
                .filter { seen.insert(Array($0.utf8)).inserted }.map { ($0, nil) }
        }
        let offered = names.filter { isOffered($0.name) }
        guard shell != .bash else { return words(offered.map(\.name)) }
        return offered.map { name, meaning in meaning.map { "\(name)\t\($0)" } ?? name }
    }

    /// The agent, if it has the vault unlocked. The context does not record it, so messages for the owner wait for a command.
    private func unlockedAgent() throws -> AgentClient? {
        let agent = try context.vault.withAgentPlace { place in
            try AgentClient(place, programVersion: ProductVersion.number)
        }
        guard let agent, try agent.status().isUnlocked else { return nil }
        return agent
    }

    /// The secrets that can match the typed names, by name.
    private func secrets(_ agent: AgentClient) throws -> [SecretItem] {
        let service = Self.typed(.typedService, shell, context)
        let account = Self.typed(.typedAccount, shell, context)
        let items: [SecretItem]
        switch kind {
        case .account: items = try agent.find(.exact(service), limit: .max)
        case .field where !account.isEmpty:
            items = try agent.find(.entry(service: service, account: account), limit: 1)
        case .field where !service.isEmpty: items = try agent.find(.exact(service), limit: .max)
        default: items = try agent.list().filter { !$0.name.isReserved }
        }
        return kind == .account ? items.filter { $0.name.service.hasSameBytes(as: service) } : items
    }

    private func names(_ item: SecretItem) -> [String] {
        switch kind {
        case .account: [item.name.account]
        case .field: [item.name.field]
        case .secretTag: item.attributes.tags
        default: [item.name.service]
        }
    }

    /// Whether a name can be offered. It must be visible, and must not begin like an option in an option's place.
    private func isOffered(_ name: String) -> Bool {
        !name.isEmpty && VisibleText.escape(name).hasSameBytes(as: name)
            && (name.utf8.first != UInt8(ascii: "-") || invocation.has(.afterDashes))
            // fish would insert the name unquoted.
            && (name.utf8.first != UInt8(ascii: "~") || shell != .fish)
    }

    /// The names that begin with the typed text, as bash inserts them: quoted, and without the part that stays.
    private func words(_ names: [String]) -> [String] {
        let before = invocation.text(of: .typedBefore) ?? ""
        let tail = invocation.text(of: .typed) ?? ""
        let typed = BashWord(before + tail)
        let kept = typed.open == .none ? BashWord(before).text : typed.textBeforeQuotes
        return names.compactMap { name in
            guard name.utf8.starts(with: typed.text.utf8) else { return nil }
            let rest = String(decoding: name.utf8.dropFirst(kept.utf8.count), as: UTF8.self)
            return BashWord.inserted(rest, within: typed.open)
        }
    }
}
