internal import Application
internal import CommandLine
internal import TextCoding
internal import VaultCore

/// Reports the findings of `doctor`: each problem, its secret and its remedy.
struct DiagnosisReport {
    private let diagnosis: Diagnosis
    private let context: CommandContext

    init(_ diagnosis: Diagnosis, _ context: CommandContext) {
        self.diagnosis = diagnosis
        self.context = context
    }

    /// Prints the report.
    ///
    /// - Throws: A `Failure` with the exit code `damaged` if the diagnosis has problems.
    func print() throws {
        if context.console.isJSON {
            try printJSON()
        } else {
            try printSummary()
            try printProblems()
            try printRest()
        }
        guard let first = diagnosis.problems.first else {
            guard let failure = diagnosis.tasksFailure else { return }
            throw Failure(.damaged, code: failure.code, failure.message, hint: failure.hint)
        }
        throw Failure(
            .damaged, code: first.failure.rawValue,
            "the vault is not sound: " + counted(diagnosis.problems.count, "problem"),
            hint: remedy)
    }

    /// Prints a line for each problem.
    func printProblems() throws {
        try context.console.print { output in
            for problem in diagnosis.problems {
                try output.writeLine("problem: " + VisibleText.escape(line(problem)))
            }
            if let failure = diagnosis.tasksFailure {
                try output.writeLine(
                    "problem: " + VisibleText.escape("\(failure.code): \(failure.message)"))
            }
        }
    }

    private func printSummary() throws {
        try context.console.print { output in
            for part in Diagnosis.Part.allCases
            where isShown(part) {
                try output.writeLine(VisibleText.escape(summary(of: part)))
            }
            for line in diagnosis.slots?.lines ?? [] {
                try output.writeLine(VisibleText.escape(line))
            }
            if let finger = diagnosis.finger, let slots = diagnosis.slots {
                try output.writeLine(slots.line(of: finger))
            }
        }
    }

    /// Whether the home has a part: a list and sync are not everywhere.
    private func isShown(_ part: Diagnosis.Part) -> Bool {
        switch part {
        case .tasks: diagnosis.tasks != nil || diagnosis.tasksFailure != nil
        case .sync: diagnosis.isSyncing
        default: true
        }
    }

    /// The findings about a part, in one line.
    private func summary(of part: Diagnosis.Part) -> String {
        let isTasks = part == .tasks
        let problems =
            isTasks
            ? diagnosis.tasksFailure == nil ? 0 : 1
            : diagnosis.problems.count { $0.part == part }
        let warnings = diagnosis.warnings.count { $0.part == part }
        var parts: [String] = []
        if part == .keys { parts = diagnosis.slots?.slots.map(\.title) ?? [] }
        if part == .secrets, diagnosis.isRead {
            parts.append("\(diagnosis.listed?.secrets ?? diagnosis.soundItems) checked")
            if let others = diagnosis.listed?.others, others > 0 {
                parts.append(counted(others, "other item"))
            }
            if diagnosis.soundEarlier > 0 {
                parts.append(counted(diagnosis.soundEarlier, "earlier value"))
            }
        }
        if isTasks, let tasks = diagnosis.tasks { parts.append(counted(tasks, "task")) }
        if problems > 0 { parts.append(counted(problems, "problem")) }
        if warnings > 0 { parts.append(counted(warnings, "warning")) }
        if parts.isEmpty { parts = [part == .secrets ? "not checked" : "ok"] }
        return TextWidth.pad(part.rawValue, to: 17) + parts.joined(separator: ", ")
    }

    private func printRest() throws {
        try context.console.print { output in
            for warning in diagnosis.warnings {
                try output.writeLine("warning: " + VisibleText.escape(warning.message))
            }
            if let repair = diagnosis.repair {
                try output.writeLine(
                    "repaired: kept \(counted(repair.kept, "secret")), removed \(repair.removed)")
                try output.writeLine(
                    "the damaged file is kept as \(VisibleText.escape(repair.copy))")
                if repair.isStateLost {
                    try output.writeLine(
                        "key slots and settings may be old: change the passphrase, then \(context.folders.command("rekey"))"
                    )
                }
            }
            // If the vault is not sound, the failure names the next step.
            if diagnosis.isSound {
                let command = diagnosis.next.map(context.folders.command) ?? "nothing"
                try output.writeLine("next: " + VisibleText.escape(command))
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

    /// The remedy for all problems.
    private var remedy: String {
        let restore = context.folders.command("restore --replace BACKUP")
        let remedies = diagnosis.problems.map(\.failure.remedy)
        if diagnosis.problems.map(\.failure) == [.fileDamaged], diagnosis.soundItems > 0 {
            return restore + " restores a backup; without one, "
                + context.folders.command("secret export") + " still reads the secrets"
        }
        if remedies.contains(.restore) { return restore + " restores a backup" }
        if remedies.contains(.repair) {
            return restore + " restores a backup; "
                + context.folders.command("doctor --repair")
                + " keeps the items that can be decrypted"
        }
        if remedies.contains(.acceptOther) {
            return "if this is expected, " + context.folders.command("doctor --accept-other")
        }
        guard diagnosis.problems.contains(where: \.failure.isOfLinks) else {
            return "if you restored the file on purpose, "
                + context.folders.command("doctor --accept-older")
        }
        guard diagnosis.isRefused else {
            return context.folders.command("doctor --repair") + " replaces the links"
        }
        return
            "it may be an older copy that was changed elsewhere: compare the other machines and the backups; "
            + context.folders.command("doctor --accept-older --repair") + " accepts this one"
    }

    private func printJSON() throws {
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("sound", diagnosis.isSound)
            try json.member("sound_items", diagnosis.soundItems)
            try json.member("secrets", diagnosis.listed?.secrets)
            try json.member("sound_earlier", diagnosis.soundEarlier)
            try json.member("tasks", diagnosis.tasks)
            try json.key("problems")
            try json.beginArray()
            for problem in diagnosis.problems { try json.object(problem) }
            if let failure = diagnosis.tasksFailure { try json.object(failure) }
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
            try json.member("slots", diagnosis.slots)
            try json.member("fingerprint", diagnosis.finger?.code)
            try json.member(
                "fingerprint_last_used",
                milliseconds: diagnosis.finger == nil ? nil : diagnosis.slots?.lastUseOfFinger)
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
    /// A problem of the to-do list.
    fileprivate mutating func object(_ failure: Failure) throws {
        try beginObject()
        try member("code", failure.code)
        try member("message", failure.message)
        for name in ["service", "account", "field", "bucket"] {
            try key(name)
            try null()
        }
        try endObject()
    }

    fileprivate mutating func object(_ problem: Problem) throws {
        try beginObject()
        try member("code", problem.failure.rawValue)
        try member("message", problem.failure.explanation)
        try member("service", problem.item?.service)
        try member("account", problem.item?.account)
        try member("field", problem.item?.field)
        try member("bucket", problem.bucket)
        try endObject()
    }
}
