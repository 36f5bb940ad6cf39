/// The day, the time of day and the offset in a text, and the resulting point in time.
struct DueTimeParts {
    private var day: DueDay?
    private var clock: ClockTime?
    private var offset: Int?
    private var isTonight = false
    private var moment: PointInTime?

    /// Parses all words.
    mutating func read(
        _ words: inout WordList, now: PointInTime, in calendar: some LocalCalendar
    ) throws {
        let today = calendar.local(at: now).date
        if let duration = try DueDuration.read(&words) {
            switch duration {
            case .seconds(let seconds): moment = PointInTime(seconds: now.seconds + seconds)
            case .days(let months, let days):
                guard let date = today.advanced(byMonths: months) else {
                    throw DueTimeError.outOfRange
                }
                day = .date(date.advanced(byDays: days))
            }
        }
        while let word = words.first {
            if moment != nil {
                throw DueTimeError.notUnderstood
            } else if day == nil, try readDay(&words, today: today) {
                continue
            } else if clock == nil, try readClock(&words) {
                continue
            } else if offset == nil, let seconds = try ClockTime.offset(word) {
                offset = seconds
                _ = words.take()
            } else {
                throw Self.error(of: word)
            }
        }
        if isTonight { clock = clock?.ofEvening ?? .evening }
    }

    private mutating func readDay(
        _ words: inout WordList, today: CalendarDate
    ) throws -> Bool {
        var rest = words
        let isSaid = rest.take("on")
        if rest.first == "tonight" { isTonight = true }
        day = try DueDay.read(&rest, today: today)
        if day != nil { words = rest } else if isSaid { throw DueTimeError.notUnderstood }
        return day != nil
    }

    private mutating func readClock(_ words: inout WordList) throws -> Bool {
        var rest = words
        let isSaid = rest.take("at")
        // From 13 on, an hour has one meaning.
        let number = rest.first.flatMap { Digits.number($0, 2...2) }
        let isHour = day != nil && number.map { (13...23).contains($0) } ?? false
        clock = try ClockTime.read(&rest, afterAt: isSaid || isHour)
        if clock != nil { words = rest } else if isSaid { throw Self.error(of: rest.first ?? "") }
        return clock != nil
    }

    /// The error of an unexpected word.
    private static func error(of word: String) -> DueTimeError {
        let ambiguous: Set = [
            "next", "this", "last", "midnight", "morning", "afternoon", "evening", "night",
            "weekend", "week", "month", "year", "later", "soon",
        ]
        if ambiguous.contains(word) { return .ambiguousWord(word) }
        if Digits.number(word, 1...4) != nil { return .unclearTime }
        return .notUnderstood
    }

    /// The time of the parts.
    func resolve(now: PointInTime, in calendar: some LocalCalendar) throws -> TaskTime {
        if let moment { return .moment(moment) }
        let today = calendar.local(at: now).date
        if let offset {
            guard case .date(let date) = day, let clock else {
                throw DueTimeError.offsetWithoutDate
            }
            let seconds = clock.on(date).secondsInUTC - Int64(offset)
            return .moment(clock.addFraction(to: PointInTime(seconds: seconds)))
        }
        guard day != nil || clock != nil else { throw DueTimeError.notUnderstood }
        let dates = (day ?? .any).dates(from: today)
        guard let clock else {
            guard let date = dates.first else { throw DueTimeError.impossibleDate }
            return .day(date)
        }
        if case .date(let date) = day {
            return .moment(try point(clock, on: date, after: nil, in: calendar) ?? now)
        }
        for date in dates {
            if let time = try point(clock, on: date, after: now, in: calendar) {
                return .moment(time)
            }
        }
        // A next time of day always exists; only a date can be impossible.
        throw DueTimeError.impossibleDate
    }

    /// The point in time of a time of day on a date; nil if it is not after `limit`.
    private func point(
        _ clock: ClockTime, on date: CalendarDate, after limit: PointInTime?,
        in calendar: some LocalCalendar
    ) throws -> PointInTime? {
        guard DueTimeParser.years.contains(date.year) else { throw DueTimeError.outOfRange }
        let local = clock.on(date)
        func isWanted(_ time: PointInTime) -> Bool { limit.map { $0 < time } ?? true }
        let times = calendar.pointsInTime(of: local)
        let wanted = times.filter(isWanted)
        if wanted.count > 1 {
            throw DueTimeError.repeated(
                local, spellings: wanted.map { TimeText.text($0, in: calendar) })
        }
        if let time = wanted.first { return clock.addFraction(to: time) }
        let moments = calendar.moments(of: local)
        if times.isEmpty, moments.contains(where: isWanted) {
            throw DueTimeError.skipped(local, around: moments.map { calendar.local(at: $0) })
        }
        return nil
    }
}
