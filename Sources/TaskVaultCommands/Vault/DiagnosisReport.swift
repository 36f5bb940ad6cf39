internal import CommandLine
internal import SecureStorage
internal import VaultCore

/// Says what `doctor` found: what is wrong, in which secret, and what can be done.
struct DiagnosisReport {
    private let diagnosis: Diagnosis
    private let context: CommandContext

    /// Makes the report of a diagnosis.
    init(_ diagnosis: Diagnosis, _ context: CommandContext) {
        self.diagnosis = diagnosis
        self.context = context
    }

    /// Prints it.
    ///
    /// - Throws: A failure of damage where the vault is not sound.
    func print() throws(CommandFailure) {
        if context.isJSON {
            try printJSON()
        } else {
            try printProblems()
            try printRest()
        }
        guard let first = diagnosis.problems.first else { return }
        throw CommandFailure(
            .damaged, code: first.failure.rawValue,
            "the vault is not sound: " + counted(diagnosis.problems.count, "problem"),
            hint: remedy)
    }

    /// Prints a line for each problem.
    func printProblems() throws(CommandFailure) {
        try context.print { (output) throws(OutputError) in
            for problem in diagnosis.problems {
                try output.writeLine("problem: " + VisibleText.escape(line(problem)))
            }
        }
    }

    private func printRest() throws(CommandFailure) {
        try context.print { (output) throws(OutputError) in
            for warning in diagnosis.warnings {
                try output.writeLine("warning: " + VisibleText.escape(warning.message))
            }
            if let repair = diagnosis.repair {
                try output.writeLine(
                    "repaired: kept \(counted(repair.kept, "secret")), gave up \(repair.removed)")
                try output.writeLine(
                    "the damaged file is kept as \(VisibleText.escape(repair.copy))")
                if repair.isStateLost {
                    try output.writeLine(
                        "slots and settings may be older ones: change the passphrase, then \(context.folders.command("rekey"))"
                    )
                }
            }
            if diagnosis.isSound {
                try output.writeLine("sound: \(counted(diagnosis.soundItems, "secret")) checked")
            }
        }
    }

    private func line(_ problem: Problem) -> String {
        var line = "\(problem.failure.rawValue): \(problem.failure.explanation)"
        if let item = problem.item {
            line += " (secret \(item.typed))"
        } else if let bucket = problem.bucket {
            line += " (bucket \(bucket))"
        }
        return line
    }

    /// What can be done about all of it.
    private var remedy: String {
        let restore = context.folders.command("restore --replace BACKUP")
        let remedies = diagnosis.problems.map(\.failure.remedy)
        if remedies.contains(.restore) { return restore + " brings a backup back" }
        if remedies.contains(.repair) {
            return restore + " brings a backup back; "
                + context.folders.command("doctor --repair") + " keeps what still opens"
        }
        return "if you put the file there yourself, "
            + context.folders.command("doctor --accept-older")
    }

    private func printJSON() throws(CommandFailure) {
        try context.printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member("sound", diagnosis.isSound)
            try json.member("sound_items", diagnosis.soundItems)
            try json.key("problems")
            try json.beginArray()
            for problem in diagnosis.problems { try json.object(problem) }
            try json.endArray()
            try json.key("warnings")
            try json.beginArray()
            for warning in diagnosis.warnings {
                try json.beginObject()
                try json.member("code", warning.code)
                try json.member("message", warning.message)
                try json.endObject()
            }
            try json.endArray()
            try json.key("repair")
            if let repair = diagnosis.repair {
                try json.beginObject()
                try json.member("kept", repair.kept)
                try json.member("removed", repair.removed)
                try json.member("copy", repair.copy)
                try json.key("state_lost")
                try json.boolean(repair.isStateLost)
                try json.endObject()
            } else {
                try json.null()
            }
            try json.endObject()
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    fileprivate mutating func object(_ problem: Problem) throws(OutputError) {
        try beginObject()
        try member("code", problem.failure.rawValue)
        try member("message", problem.failure.explanation)
        try member("service", problem.item?.service)
        try member("account", problem.item?.account)
        try member("bucket", problem.bucket)
        try endObject()
    }
}
