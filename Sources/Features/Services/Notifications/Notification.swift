/// A desktop notification in plain text.
struct Notification: Sendable, Hashable {
    /// A button of a notification.
    struct Action: Sendable, Hashable {
        /// The identifier that the daemon returns.
        let key: String
        /// The text of the button.
        let label: String
    }

    /// The title, one line.
    let title: String
    /// The text, one or more lines; may be empty.
    let body: String
    /// The actions.
    var actions: [Action] = []
    /// A line for daemons that show no actions.
    var hint: String?

    /// Makes a notification.
    init(title: String, body: String, actions: [Action] = [], hint: String? = nil) {
        self.title = title
        self.body = body
        self.actions = actions
        self.hint = hint
    }

    /// The title for a daemon with these capabilities.
    func title(for capabilities: Set<String>) -> String {
        capabilities.contains("body-markup") ? Self.withoutMarkup(title) : title
    }

    /// A title that is no markup. The specification has plain titles, so an escape would be shown; but some daemons read markup in
    /// them.
    static func withoutMarkup(_ title: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in title.unicodeScalars {
            switch scalar {
            case "<": plain.append("‹")
            case ">": plain.append("›")
            default: plain.append(scalar)
            }
        }
        return String(plain)
    }

    /// The body for a daemon with these capabilities: the hint if actions are missing, and markup
    /// escaped.
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

    /// The alternating keys and labels of the D-Bus call `Notify`; empty if the daemon has no
    /// actions.
    func actionList(for capabilities: Set<String>) -> [String] {
        capabilities.contains("actions") ? actions.flatMap { [$0.key, $0.label] } : []
    }
}
