internal import TextCoding

// Commands that a person may have meant.
extension CommandTable {
    /// Words of other programs, and the last words of the commands here that do the same.
    private static let otherNames: [String: [String]] = [
        "add": ["set"], "cat": ["get", "show"], "check": ["doctor"], "complete": ["done"],
        "conf": ["settings"], "config": ["settings"], "copy": ["get"], "cp": ["get"],
        "create": ["add", "set", "init"], "del": ["remove"], "delete": ["remove"], "edit": ["set"],
        "erase": ["remove"], "exit": ["lock"], "find": ["list"], "finish": ["done"],
        "fsck": ["doctor"], "grep": ["list"], "info": ["status"], "insert": ["set", "add"],
        "ls": ["list"], "man": ["help"], "modify": ["edit"], "mv": ["rename", "edit"],
        "new": ["add", "set", "init"], "open": ["unlock"], "options": ["settings"],
        "otp": ["code"], "passwd": ["change", "password", "update"], "prefs": ["settings"],
        "print": ["show", "get"], "quit": ["lock"], "register": ["create"], "rename": ["edit"],
        "rm": ["remove"], "save": ["set"], "search": ["list"], "signin": ["login"],
        "signout": ["logout"], "signup": ["create"], "store": ["set"], "totp": ["code"],
        "unset": ["remove"], "view": ["show"],
    ]
    /// Words for what a command does with an option.
    private static let lines: [String: (command: String, option: String)] = [
        "overdue": ("task list", "--overdue"), "today": ("task list", "--today"),
        "week": ("task list", "--week"),
    ]
    /// Options of other programs, and those here that do the same.
    private static let otherOptions = ["deadline": "due", "scheduled": "wait", "start": "wait"]

    /// The option that does what an option of other programs does; nil if there is none.
    func optionOfOthers(_ name: String) -> String? {
        Self.otherOptions[name].flatMap { option(named: $0)?.name }
    }

    /// The largest number of suggestions.
    private static let most = 2

    /// The commands below a prefix that a word may mean, by their names or by those of other programs.
    ///
    /// - Parameters:
    ///   - word: A word that is no command there.
    ///   - path: The known words before it.
    /// - Returns: Names of commands or prefixes, the likeliest first; or a command with an option.
    func commands(like word: String, below path: [String]) -> [String] {
        let word = word.lowercased()
        if let line = Self.lines[word],
            commands(below: path).contains(where: { $0.name == line.command })
        {
            return [line.command + " " + line.option]
        }
        // Also the last word of longer names: `get` suggests `secret get`.
        for name in [word] + (Self.otherNames[word] ?? []) {
            if words(after: path).contains(name) { return [(path + [name]).joined(separator: " ")] }
            let found = commands(below: path).filter { $0.path.last == name }
            let first = about.firstCommands.filter { name in found.contains { $0.name == name } }
            let shortest = found.map(\.path.count).min()
            let likely =
                first.isEmpty
                ? found.filter { $0.path.count == shortest }.map(\.name) : first
            if !likely.isEmpty { return Array(likely.prefix(Self.most)) }
        }
        let close = Suggestion.closest(to: word, among: words(after: path))
        return close.map { [(path + [$0]).joined(separator: " ")] } ?? []
    }
}
