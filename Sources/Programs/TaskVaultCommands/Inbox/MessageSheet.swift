internal import Application
internal import CommandLine
internal import Inbox
internal import Tasks
internal import TextCoding

/// Messages as formatted text for people.
struct MessageSheet {
    private let context: CommandContext

    init(_ context: CommandContext) {
        self.context = context
    }

    /// The lines of a list. Each message has a line with id, state, time and sender, then title and beginning of the description.
    func list(
        _ messages: [(message: InboxMessage, content: MessageContent)],
        _ capabilities: TerminalCapabilities
    ) -> [String] {
        messages.flatMap { message, content in
            [head(message, capabilities)]
                + fold(content.title, capabilities).prefix(1).map {
                    "    " + Style(capabilities).apply(.bold, to: $0)
                } + beginning(of: content.body, capabilities).map { "    " + $0 }
        }
    }

    private func head(_ message: InboxMessage, _ capabilities: TerminalCapabilities) -> String {
        let style = Style(capabilities)
        let state = TextWidth.pad(message.state.rawValue, to: 8)
        let shown =
            switch message.state {
            case .accepted: style.apply(.green, to: state)
            case .declined: style.apply(.red, to: state)
            default: style.apply(.yellow, to: state)
            }
        let rest = "  " + local(message.received) + "  " + VisibleText.escape(message.sender)
        let used = message.shortID.utf8.count + 2 + 8
        let cut = capabilities.columns.map { TextWidth.truncate(rest, to: max(1, $0 - used)) }
        return message.shortID + "  " + shown + (cut ?? rest)
    }

    /// At most ``InboxMessage/mostLines`` lines; the last one ends with `…` if there is more.
    private func beginning(of body: String, _ capabilities: TerminalCapabilities) -> [String] {
        // This many characters suffice for any terminal. A body may be long.
        let start = String(body.unicodeScalars.prefix(4_096))
        var lines = start.split(separator: "\n").flatMap { fold(String($0), capabilities) }
        let hasMore = lines.count > InboxMessage.mostLines || start.utf8.count < body.utf8.count
        lines = Array(lines.prefix(InboxMessage.mostLines))
        if hasMore, let last = lines.popLast() {
            let width = capabilities.columns.map { max(2, $0 - 4) } ?? .max
            lines.append(TextWidth.truncate(last + "…", to: width))
        }
        return lines
    }

    /// Escapes control characters, and folds the text to the terminal's width within a list.
    private func fold(_ text: String, _ capabilities: TerminalCapabilities) -> [String] {
        let safe = VisibleText.escape(text)
        guard let columns = capabilities.columns else { return [safe] }
        return TextWidth.fold(safe, to: max(1, columns - 4))
    }

    /// The lines of one message, with its whole text.
    func lines(
        _ message: InboxMessage, _ content: MessageContent, picture: String?,
        _ capabilities: TerminalCapabilities
    ) -> [String] {
        let style = Style(capabilities)
        func whole(_ text: String) -> [String] {
            guard let columns = capabilities.columns else { return [text] }
            return TextWidth.fold(text, to: max(1, columns))
        }
        var lines = whole(VisibleText.escape(content.title)).map { style.apply(.bold, to: $0) }
        for (name, text) in facts(message, content, picture) {
            lines.append(
                style.apply(.faint, to: TextWidth.pad(name, to: 11)) + VisibleText.escape(text))
        }
        if !content.subtasks.isEmpty {
            lines.append("")
            lines += content.subtasks.flatMap { whole("• " + VisibleText.escape($0)) }
        }
        if !content.body.isEmpty {
            lines.append("")
            let body = VisibleText.escape(content.body, keepingLines: true)
            for line in body.split(separator: "\n", omittingEmptySubsequences: false) {
                lines += whole(String(line))
            }
        }
        return lines
    }

    private func facts(
        _ message: InboxMessage, _ content: MessageContent, _ picture: String?
    ) -> [(String, String)] {
        var facts = [
            ("id", message.shortID), ("from", message.sender),
            ("received", local(message.received)),
        ]
        let decided = message.decided.map { " " + local($0) } ?? ""
        let task = message.state == .accepted ? message.task.map { " as task \($0)" } ?? "" : ""
        facts.append(("state", message.state.rawValue + task + decided))
        if let due = content.due { facts.append(("due", local(due))) }
        if let list = content.list { facts.append(("list", list)) }
        if let picture { facts.append(("picture", picture)) }
        if !content.leftOut.isEmpty {
            facts.append(("left out", content.leftOut.joined(separator: ", ")))
        }
        return facts
    }

    private func local(_ time: PointInTime) -> String {
        TimeText.withWeekday(time, in: context.tasks.calendar)
    }
}
