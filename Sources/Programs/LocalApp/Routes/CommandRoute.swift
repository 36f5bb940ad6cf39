internal import HTTPServer
internal import Application
internal import SecretMemory
internal import TextCoding

extension PageRoute {
    /// An operand of a command.
    enum Operand: Sendable {
        /// A parameter of the path.
        case path(String)
        /// A required member.
        case member(String)
        /// An optional member. Without it, the following operands are omitted as well.
        case optional(String)
        /// The strings of an array member; at least one.
        case members(String)
        /// A reminder time: true or a string; false or null for none.
        case reminder(String)
    }

    /// The option or input that a member becomes.
    enum Part: Sendable {
        /// A flag with the member's name.
        case flag(String)
        /// An option with this name or the member's. For null its value is `none`.
        case text(String, as: String? = nil, none: String? = nil)
        /// An option for each string.
        case texts(String, as: String)
        /// The option `--remind`: true or a string; false or null for none.
        case reminder
        /// A line of standard input, and the options that select it.
        case line(String, announced: [String] = [])
        /// A required line of standard input, and the options that select it.
        case required(String, announced: [String] = [])
        /// The rest of standard input, with `--notes -`.
        case notes
        /// The whole standard input, from `value` or `value_base64`.
        case value

        fileprivate var members: [String] {
            switch self {
            case .flag(let name), .text(let name, _, _), .texts(let name, _), .line(let name, _),
                .required(let name, _):
                [name]
            case .reminder: ["remind"]
            case .notes: ["notes"]
            case .value: ["value", "value_base64"]
            }
        }
    }

    /// A route that runs one command.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path after `/api/`.
    ///   - command: The command and its fixed options.
    ///   - operands: The operands.
    ///   - parts: The sources of options and standard input, in order.
    /// - Returns: The route.
    static func command(
        _ method: String, _ path: String, _ command: String, _ operands: [Operand] = [],
        _ parts: [Part] = []
    ) -> PageRoute {
        var members = Set(parts.flatMap(\.members))
        for case .member(let name) in operands { members.insert(name) }
        for case .members(let name) in operands { members.insert(name) }
        for case .optional(let name) in operands { members.insert(name) }
        for case .reminder(let name) in operands { members.insert(name) }
        return PageRoute(method, path, members) { request in
            .outcome(try request.run(command, operands, parts))
        }
    }
}

extension AppRequest {
    /// Runs the command of a route. `options`, and `more` operands, may have spaces.
    func run(
        _ command: String, _ operands: [PageRoute.Operand], _ parts: [PageRoute.Part],
        options: [String] = [], more: [String] = []
    ) throws -> OperationOutcome {
        var words = command.split(separator: " ").map(String.init) + options
        var input = CommandInputParts()
        for part in parts { try add(part, to: &words, &input) }
        return try run(
            words, operands: try texts(of: operands) + more, input: CommandInput(try input.take()))
    }

    private func texts(of operands: [PageRoute.Operand]) throws -> [String] {
        var texts: [String] = []
        for operand in operands {
            switch operand {
            case .path(let name): texts.append(parameters[name] ?? "")
            case .member(let name):
                guard let text = try members.text(name) else {
                    throw PageRequestError("\(name) is missing")
                }
                texts.append(text)
            case .optional(let name):
                guard let text = try members.text(name) else { return texts }
                texts.append(text)
            case .members(let name):
                let several = try members.texts(name)
                guard !several.isEmpty else { throw PageRequestError("\(name) is missing") }
                texts += several
            case .reminder(let name): texts.append(try reminder(name))
            }
        }
        return texts
    }

    private func add(
        _ part: PageRoute.Part, to words: inout [String], _ input: inout CommandInputParts
    ) throws {
        switch part {
        case .flag(let name):
            if try members.flag(name) { words.append("--" + option(name)) }
        case .text(let name, let other, let none):
            let option = "--" + (other ?? option(name)) + "="
            if members.isNull(name) {
                guard let none else { throw PageRequestError("\(name) is null") }
                words.append(option + none)
            } else if let text = try members.text(name) {
                words.append(option + text)
            }
        case .texts(let name, let option):
            for text in try members.texts(name) { words.append("--\(option)=\(text)") }
        case .reminder:
            if members.has("remind") { words.append("--remind=" + (try reminder("remind"))) }
        case .line(let name, let announcement):
            guard let line = try members.secret(name) else { return }
            words += announcement
            try input.add(line: line, name)
        case .required(let name, let announcement):
            guard let line = try members.secret(name) else {
                throw PageRequestError("\(name) is missing")
            }
            words += announcement
            try input.add(line: line, name)
        case .notes:
            guard members.has("notes") else { return }
            words.append("--notes=-")
            if !members.isNull("notes"), let notes = try members.secret("notes") {
                try input.add(notes)
            }
            // The command removes one line end.
            try input.add(try SecretBytes(copying: unsafe [UInt8(0x0A)].span.bytes))
        case .value:
            if let value = try members.secret("value") { return try input.add(value) }
            guard let text = try members.secret("value_base64"),
                let value = try text.withBytes({ try Base64.secret(of: $0) })
            else { throw PageRequestError("value is missing") }
            try input.add(value)
        }
    }

    /// The option value of a reminder.
    private func reminder(_ name: String) throws -> String {
        if members.isFlag(name) { return try members.flag(name) ? "on" : "off" }
        if members.isNull(name) { return "off" }
        guard let text = try members.text(name) else {
            throw PageRequestError("\(name) is missing")
        }
        return text
    }

    /// The option name of a member.
    private func option(_ name: String) -> String { name.substituting("_", for: "-") }
}
