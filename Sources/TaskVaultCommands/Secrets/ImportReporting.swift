internal import CommandLine
internal import Secrets
internal import SecureStorage

/// Says what an import did: counts, and a line for everything that is not as in the file.
struct ImportReporting {
    private let report: ImportReport
    private let context: CommandContext

    /// Makes the reporting of an import.
    init(_ report: ImportReport, _ context: CommandContext) {
        self.report = report
        self.context = context
    }

    /// Prints it.
    func print() throws(CommandFailure) {
        if context.isJSON { return try printJSON() }
        try context.print { (output) throws(OutputError) in
            try output.writeLine(
                "imported \(counted(report.imported, "secret")) from \(report.format.title)")
            for skip in report.skipped {
                try output.writeLine("line \(skip.line): skipped, \(Self.words(skip.reason).text)")
            }
            for alteration in report.altered {
                try output.writeLine(
                    "line \(alteration.line): renamed, \(Self.words(alteration.change).text)")
            }
        }
    }

    private func printJSON() throws(CommandFailure) {
        try context.printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member("format", report.format.title)
            try json.member("imported", report.imported)
            try json.key("skipped")
            try json.beginArray()
            for skip in report.skipped {
                try json.line(skip.line, reason: Self.words(skip.reason).code)
            }
            try json.endArray()
            try json.key("renamed")
            try json.beginArray()
            for alteration in report.altered {
                try json.line(alteration.line, reason: Self.words(alteration.change).code)
            }
            try json.endArray()
            try json.endObject()
        }
    }

    private static func words(_ reason: SkipReason) -> (code: String, text: String) {
        switch reason {
        case .emptyRecord: ("empty", "nothing in it")
        case .refused(.duplicate): ("duplicate", "there is a secret of this name already")
        case .refused(.tooLarge): ("too_large", "it is too large")
        case .refused(.ofSignIn): ("sign_in", "it belongs to signing in, which login does anew")
        case .refused: ("invalid_name", "its name is not acceptable")
        }
    }

    private static func words(_ change: NameChange) -> (code: String, text: String) {
        switch change {
        case .controlCharactersReplaced:
            ("control_characters_replaced", "control characters in the name were replaced")
        case .shortened: ("shortened", "the name was too long")
        case .numbered: ("numbered", "the name occurs before in the file")
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    fileprivate mutating func line(_ line: Int, reason: String) throws(OutputError) {
        try beginObject()
        try member("line", line)
        try member("reason", reason)
        try endObject()
    }
}
