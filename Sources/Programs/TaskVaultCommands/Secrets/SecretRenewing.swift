internal import Application
internal import CommandLine
internal import Platform
internal import Secrets
internal import SecureStorage
internal import Tasks
internal import TextCoding

// Changes of passwords that the to-do list reminds of: `secret edit --change-every` and `--expires`.
extension CommandContext {
    /// The plan of an entry after the options; nil without such an option.
    ///
    /// - Throws: A failure for an invalid period or day.
    func renewal(of entry: SecretEntry) throws -> SecretRenewal? {
        guard invocation.has(.changeEvery) || invocation.has(.expires) else { return nil }
        var renewal = SecretRenewal(entry.attributes)
        if let text = invocation.text(of: .changeEvery) {
            if text == "never" {
                if renewal.period != nil { (renewal.period, renewal.expires) = (nil, nil) }
            } else {
                guard let period = SecretRenewal.Period(text) else {
                    throw notAPeriod(.changeEvery)
                }
                renewal.period = period
                renewal.expires = day(try due(after: period))
            }
        }
        if let text = invocation.text(of: .expires) {
            renewal.expires =
                text == "never"
                ? nil
                : day(try tasks.time(typed: text, as: OptionDescription.expires.spelling))
        }
        return renewal
    }

    /// Makes the task of a plan, or changes or finishes it. The text of the task is in the vault.
    ///
    /// - Returns: The plan with its task.
    func plan(
        _ renewal: SecretRenewal, of entry: SecretEntry, in store: OpenStore
    ) throws -> SecretRenewal {
        var planned = renewal
        try tasks.withTasks(.changing) { tasks in
            let known = try task(of: renewal, tasks)
            guard let expires = renewal.expires else {
                planned.task = nil
                if let known { try tasks.list.remove(known, from: store.secrets) }
                return
            }
            let due = try self.tasks.time(
                typed: expires, as: OptionDescription.expires.spelling)
            if let known {
                var changed = known
                try set(due, renewal.period, of: &changed)
                try tasks.list.edit(known, to: changed)
                return
            }
            let id = TaskID()
            var wanted = TodoTask(
                id: id, content: .protected(ProtectedTextID(of: id)), created: tasks.now)
            wanted.nickname = "change a password"
            try set(due, renewal.period, of: &wanted)
            if try settings.value(of: .remindByDefault) == "yes" { wanted.reminder = due }
            let text = TaskText(
                name: "change the password of \(entry.typed)",
                notes: folders.command("secret update \(entry.typed)"))
            try vault.requireVerified(store)
            planned.task = try vault.verifying(store) {
                try tasks.list.insert(wanted, text: text, in: store.secrets).task.id.text
            }
        }
        return planned
    }

    /// Completes the task of an entry whose password was changed. A failure is a warning, because the password is saved.
    func completeRenewal(of name: SecretName, in store: OpenStore) {
        guard name.isStandardField else { return }
        do {
            guard let entry = try application.entry(of: name, in: store.secrets) else { return }
            var renewal = SecretRenewal(entry.attributes)
            guard renewal.isPlanned else { return }
            try tasks.withTasks(.changing) { tasks in
                let known = try task(of: renewal, tasks)
                renewal.expires = try renewal.period.map { day(try due(after: $0)) }
                if renewal.period == nil { renewal.task = nil }
                guard let known else { return }
                let changed = try tasks.list.finish([known], in: self.tasks.calendar)
                // The time until the next change begins now, also after an early one.
                if let task = changed.first?.task, !task.isDone, let period = renewal.period {
                    var moved = task
                    try set(try due(after: period), period, of: &moved)
                    try tasks.list.edit(task, to: moved)
                }
            }
            try store.secrets.change(entry.changes { renewal.write(to: &$0) })
            if let expires = renewal.expires {
                console.remark("the next change is due \(expires)")
            }
        } catch {
            console.notices.warn(
                "not_planned", "the next change is not planned: \(errors.failure(error).message)")
        }
    }

    private func task(of renewal: SecretRenewal, _ tasks: OpenTasks) throws -> TodoTask? {
        guard let id = renewal.task.flatMap({ TaskID($0) }),
            let task = try tasks.list.existing([id])[id], !task.isDone
        else { return nil }
        return task
    }

    private func set(
        _ due: TaskTime, _ period: SecretRenewal.Period?, of task: inout TodoTask
    ) throws {
        task.setDue(due, in: tasks.calendar)
        let rule = try period.map {
            try RepeatRule(typed: "every " + $0.text).starting(on: due.date(in: tasks.calendar))
        }
        task.setRepetition(rule, in: tasks.calendar)
    }

    private func due(after period: SecretRenewal.Period) throws -> TaskTime {
        try tasks.time(typed: "in " + period.text, as: OptionDescription.changeEvery.spelling)
    }

    /// The local day of a time.
    private func day(_ time: TaskTime) -> String {
        TimeText.text(time.date(in: tasks.calendar))
    }
}

extension SecretEntry {
    /// The changes that give each field other further attributes.
    func changes(_ change: (inout SecretAttributes) -> Void) -> [SecretChange] {
        fields.map { item in
            var attributes = item.attributes
            change(&attributes)
            return SecretChange(
                item.name, expecting: item.revision, .edit(SecretEdit(extra: attributes.extra)))
        }
    }
}

extension OptionDescription {
    static let changeEvery = OptionDescription(
        "change-every", .text("TIME"),
        "a repeating task to change the password after this time, such as 90d; secret update completes it; never ends it"
    )
    static let expires = OptionDescription(
        "expires", .text("DATE"),
        "the last day of the password, with a task for it; never removes it")
}
