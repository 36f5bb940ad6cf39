extension RepeatRule {
    /// The rule as text for people, such as `daily`, `every 3 days`, `weekdays` or `every mon,
    /// thu`. Further forms are `monthly on the last day`, `weekly, 5 times` and `daily, until
    /// 2027-01-01`. It is ``text`` for a rule without such a text.
    ///
    /// ``init(typed:)`` parses these texts.
    public var phrase: String {
        guard let days = phraseOfDays else { return text }
        var phrase = days
        switch (hour, minute) {
        case (nil, nil): break
        case (let hour?, let minute?):
            phrase += " at \(TimeText.padded(hour.magnitude)):\(TimeText.padded(minute.magnitude))"
        default: return text
        }
        switch end {
        case nil: return phrase
        case .count(let count): return phrase + (count == 1 ? ", once" : ", \(count) times")
        case .untilDay(let date): return phrase + ", until " + TimeText.text(date)
        case .until(let time):
            return phrase + ", until " + TimeText.text(LocalTime(secondsInUTC: time.seconds)) + "Z"
        }
    }

    /// The rule without its time of day and its end; nil if it has no such text.
    private var phraseOfDays: String? {
        let unit = phraseOfUnit
        switch (frequency, days.isEmpty, monthDays.isEmpty) {
        case (_, true, true): return unit
        case (.weekly, false, true):
            if self.days == Self.weekdays.days, interval == 1 { return "weekdays" }
            let names = days.map { Self.name(of: $0.weekday) }.joined(separator: ", ")
            return interval == 1 ? "every " + names : unit + " on " + names
        case (.monthly, true, false):
            let names = monthDays.map { $0 == -1 ? "last day" : Self.ordinal($0) }
            guard !names.contains(nil) else { return nil }
            return unit + " on the " + names.compactMap(\.self).joined(separator: ", ")
        case (.monthly, false, true):
            let names = days.map { day in
                Self.ordinal(day.ordinal).map { $0 + " " + Self.name(of: day.weekday) }
            }
            guard !names.contains(nil) else { return nil }
            return unit + " on the " + names.compactMap(\.self).joined(separator: ", ")
        default: return nil
        }
    }

    private var phraseOfUnit: String {
        let word = frequency.rawValue.lowercased()
        if interval == 1 { return word }
        let unit = frequency == .daily ? "day" : word.dropLast(2)
        return "every \(interval) \(unit)s"
    }

    private static func name(of weekday: Weekday) -> String {
        String(weekday.name.prefix(3))
    }

    /// `1st`, `22nd`, `last`; nil for 0 and other negative numbers.
    private static func ordinal(_ number: Int) -> String? {
        if number == -1 { return "last" }
        guard number > 0 else { return nil }
        let endings = [1: "st", 2: "nd", 3: "rd"]
        let ending = (11...13).contains(number) ? nil : endings[number % 10]
        return "\(number)" + (ending ?? "th")
    }

    /// The rule as in RFC 5545.
    public var text: String {
        var parts = ["FREQ=\(frequency.rawValue)"]
        if interval != 1 { parts.append("INTERVAL=\(interval)") }
        if !days.isEmpty {
            let codes = days.map { day in
                (day.ordinal == 0 ? "" : String(day.ordinal))
                    + Self.weekdayCodes[day.weekday.rawValue]
            }
            parts.append("BYDAY=" + codes.joined(separator: ","))
        }
        if !monthDays.isEmpty {
            parts.append("BYMONTHDAY=" + monthDays.map(String.init).joined(separator: ","))
        }
        if let hour { parts.append("BYHOUR=\(hour)") }
        if let minute { parts.append("BYMINUTE=\(minute)") }
        switch end {
        case .count(let count): parts.append("COUNT=\(count)")
        case .until(let time): parts.append("UNTIL=\(time.basic)")
        case .untilDay(let date): parts.append("UNTIL=\(date.basic)")
        case nil: break
        }
        return parts.joined(separator: ";")
    }
}
