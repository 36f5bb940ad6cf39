/// A notification, as plain text.
struct Notification: Sendable, Hashable {
    /// An action that a person can choose.
    struct Action: Sendable, Hashable {
        /// The word that the daemon returns.
        let key: String
        /// The text of the button.
        let label: String
    }

    /// One line.
    let title: String
    /// Lines; may be empty.
    let body: String
    /// The actions.
    var actions: [Action] = []
    /// A line that replaces the actions where there are none.
    var hint: String?

    /// Makes a notification.
    init(title: String, body: String, actions: [Action] = [], hint: String? = nil) {
        self.title = title
        self.body = body
        self.actions = actions
        self.hint = hint
    }

    /// The body for a daemon: with the hint if it has no actions, and escaped if it understands markup.
    func body(for capabilities: Set<String>) -> String {
        let hasActions = !actions.isEmpty && capabilities.contains("actions")
        let lines = [body, hasActions ? nil : hint].compactMap(\.self).filter { !$0.isEmpty }
        let text = lines.joined(separator: "\n")
        guard capabilities.contains("body-markup") else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// The keys and labels for a daemon.
    func actionWords(for capabilities: Set<String>) -> [String] {
        capabilities.contains("actions") ? actions.flatMap { [$0.key, $0.label] } : []
    }
}
