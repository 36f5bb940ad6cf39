package import TextCoding

/// Export of tasks to a file.
package enum TaskExport {
    /// Writes tasks in a format.
    ///
    /// - Parameters:
    ///   - tasks: The tasks, in the order of the file.
    ///   - format: The format.
    ///   - now: The current time.
    ///   - calendar: The calendar of the owner.
    ///   - sink: Receives the bytes.
    /// - Returns: The sink, unfinished.
    /// - Throws: The error of the sink.
    package static func write<Sink: ByteSink & ~Copyable>(
        _ tasks: some Sequence<ExchangedTask>, as format: TaskFormat, now: PointInTime = .now,
        in calendar: some LocalCalendar, to sink: consuming Sink
    ) throws -> Sink {
        switch format {
        case .taskVault: return try TaskVaultTasks.write(tasks, to: sink)
        case .taskwarrior:
            return try TaskwarriorTasks.write(tasks, now: now, in: calendar, to: sink)
        case .todoTxt: return try TodoTxtTasks.write(tasks, in: calendar, to: sink)
        case .iCalendar: return try ICalendarTasks.write(tasks, in: calendar, to: sink)
        }
    }

    /// The number of skipped contents of each kind in a format.
    package static func leftOut(
        of tasks: some Sequence<ExchangedTask>, as format: TaskFormat, now: PointInTime = .now,
        in calendar: some LocalCalendar = SystemCalendar()
    ) -> [LeftOut: Int] {
        omissions(of: tasks, as: format, now: now, in: calendar).mapValues(\.count)
    }

    /// The tasks of which contents of each kind are skipped in a format, in their order.
    ///
    /// - Returns: The names of plain tasks; of protected ones, whose text is not for reports, nicknames or ids.
    package static func omissions(
        of tasks: some Sequence<ExchangedTask>, as format: TaskFormat, now: PointInTime = .now,
        in calendar: some LocalCalendar = SystemCalendar()
    ) -> [LeftOut: [String]] {
        var titles: [LeftOut: [String]] = [:]
        var times = ICalendarTimes(toWrite: tasks, in: calendar)
        for task in tasks {
            var kinds = leftOut(of: task, as: format, in: calendar)
            times.now = task.created
            if format == .iCalendar, ICalendarTasks.losesRule(task, times) {
                kinds.append(.repetitions)
            }
            for kind in kinds { titles[kind, default: []].append(task.task.publicTitle) }
        }
        if format == .taskwarrior {
            let old = TaskwarriorTasks.patterns(of: tasks, now: now, in: calendar)
                .filter { !$0.isCurrent }
                .map { FurtherAttributes.text(of: $0.values["description"]) ?? "" }
            if !old.isEmpty { titles[.recurringPatterns] = old }
        }
        return titles
    }

    private static func leftOut(
        of task: ExchangedTask, as format: TaskFormat, in calendar: some LocalCalendar
    ) -> [LeftOut] {
        if format == .taskVault { return [] }
        guard let text = task.text else { return [.protectedTasks] }
        var kinds: [LeftOut] = task.nickname != nil ? [.nicknames] : []
        if format != .taskwarrior, !task.dependencies.isEmpty { kinds.append(.dependencies) }
        if task.snooze != nil || format == .todoTxt && task.reminder != nil {
            kinds.append(.reminders)
        }
        if FurtherAttributes.hasOthers(in: text.further, than: format) { kinds.append(.further) }
        switch format {
        case .taskVault: break
        case .todoTxt:
            if !text.notes.isEmpty { kinds.append(.notes) }
            if !text.subtasks.isEmpty { kinds.append(.subtasks) }
            if let list = task.list, !TodoTxtTasks.canTell(list: list) { kinds.append(.lists) }
            if !TodoTxtTasks.canTell(time: task.due) || !TodoTxtTasks.canTell(time: task.wait)
                || task.task.isMoved(in: calendar)
            {
                kinds.append(.times)
            }
        case .taskwarrior:
            if !TaskwarriorTime.canTellTimes(of: task, in: calendar) { kinds.append(.times) }
            if text.subtasks.contains(where: { $0.due != nil || $0.reminder != nil }) {
                kinds.append(.subtaskTimes)
            }
            if text.subtasks.contains(where: { $0.name != $0.name.onOneLine }) {
                kinds.append(.controls)
            }
        case .iCalendar:
            if !ICalendarTimes.canTellTimes(of: task) || task.task.isMoved(in: calendar) {
                kinds.append(.times)
            }
            let texts = [text.name, text.notes, task.list ?? ""] + text.subtasks.map(\.name)
            if texts.contains(where: ICalendarText.hasControls) { kinds.append(.controls) }
        }
        return kinds
    }
}

extension String {
    /// The text with a blank in place of each LF, CR and CR LF.
    var onOneLine: String {
        String(map { ["\n", "\r", "\r\n"].contains($0) ? " " : $0 })
    }
}
