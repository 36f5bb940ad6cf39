internal import Platform
internal import TextCoding

/// The zones that a file defines (RFC 5545, section 3.6.5). For a `TZID`, the definition of the file wins over the machine's.
struct ICalendarFileZones {
    /// A limit of definitions in a file; other ones are unknown zones.
    private static let maximumZones = 500
    /// The limit of days that all definitions may examine for their changes; two yearly rules of a zone need about 20,000.
    private static let maximumSearch = 2_000_000

    private let owner: any LocalCalendar
    private let now: PointInTime
    private var components: [String: ICalendarComponent] = [:]
    private var zones: [String: ICalendarFileZone?] = [:]
    private var names: [String: String?] = [:]
    private var budget = maximumSearch
    private lazy var machineZones = ZoneCalendar.names.compactMap { ZoneCalendar($0) }

    /// The zones of a calendar.
    init(_ components: [ICalendarComponent], owner: some LocalCalendar, now: PointInTime) {
        (self.owner, self.now) = (owner, now)
        for component in components.lazy.filter({ $0.name == "VTIMEZONE" })
            .prefix(Self.maximumZones)
        {
            guard let name = component.first("TZID")?.value, self.components[name] == nil else {
                continue
            }
            self.components[name] = component
        }
    }

    /// The zone of a `TZID`; nil if the file does not define it, or not in a form that is understood.
    private mutating func zone(_ name: String) -> ICalendarFileZone? {
        if let known = zones[name] { return known }
        let zone = components[name].flatMap { ICalendarFileZone($0, budget: &budget) }
        zones[name] = .some(zone)
        return zone
    }

    /// The name of a zone of the machine that has the same times in the present years: the `TZID` itself, another name in the
    /// definition, the owner's, or the first one found. A rule counts in a zone of this machine.
    private mutating func machineName(of name: String, _ zone: ICalendarFileZone) -> String? {
        if let known = names[name] { return known }
        let likely = [
            name, components[name]?.first("X-LIC-LOCATION")?.value,
            (owner as? any ZonedCalendar)?.zoneName,
        ].compactMap(\.self)
        func isEqual(_ candidate: ZoneCalendar) -> Bool { zone.isEqual(to: candidate, around: now) }
        let found =
            likely.first { ZoneCalendar($0).map(isEqual) ?? false }
            ?? machineZones.first(where: isEqual)?.name
        names[name] = .some(found)
        return found
    }

    /// A component whose times are in zones of this machine: those of repetitions in an equal zone, and others in UTC.
    ///
    /// - Returns: The component, and whether a repetition has no equal zone, so that the owner's was taken.
    mutating func resolve(
        _ component: ICalendarComponent
    ) -> (ICalendarComponent, isUncertain: Bool) {
        let names = component.properties.compactMap { $0.parameters["TZID"] }
        guard
            !components.isEmpty,
            !names.isEmpty || component.components.contains(where: { !$0.properties.isEmpty })
        else { return (component, false) }
        var (result, isUncertain) = (component, false)
        let isOfRepetition = component.isOfRepetition
        result.properties = component.properties.map { property in
            guard let name = property.parameters["TZID"], let zone = zone(name) else {
                return property
            }
            guard isOfRepetition else { return property.inUTC(of: zone) }
            if let equal = machineName(of: name, zone) {
                return equal == name ? property : property.withZone(equal) { $0 }
            }
            isUncertain = true
            let calendar = owner
            return property.withZone((owner as? any ZonedCalendar)?.zoneName) {
                calendar.local(at: zone.moment(of: $0))
            }
        }
        result.components = component.components.map { part in
            let (part, isPartUncertain) = resolve(part)
            isUncertain = isUncertain || isPartUncertain
            return part
        }
        return (result, isUncertain)
    }
}

/// A zone by its definition in a file.
struct ICalendarFileZone: LocalCalendar {
    /// The seconds of the years for which changes are computed: 1970 to 2099.
    private static let range: Range<Int64> = 0..<4_102_444_800
    private static let maximumObservances = 500
    private static let maximumChanges = 10_000

    /// The times of changes, ascending, and the offsets from those times on.
    private var changes: [(time: Int64, offset: Int)] = []
    private var first = 0

    /// Computes the changes; nil without observances, or if one is not understood.
    ///
    /// - Parameters:
    ///   - component: The definition.
    ///   - budget: The days that searches may still examine, less those that were.
    init?(_ component: ICalendarComponent, budget: inout Int) {
        let observances = component.components.filter {
            $0.name == "STANDARD" || $0.name == "DAYLIGHT"
        }
        guard (1...Self.maximumObservances).contains(observances.count), component.error == nil
        else { return nil }
        var found: [(time: Int64, before: Int, after: Int)] = []
        for observance in observances {
            guard
                let before = observance.first("TZOFFSETFROM").flatMap({ Self.offset($0.value) }),
                let after = observance.first("TZOFFSETTO").flatMap({ Self.offset($0.value) }),
                let onsets = Self.onsets(of: observance, before, &budget),
                found.count + onsets.count <= Self.maximumChanges
            else { return nil }
            found += onsets.map { ($0, before, after) }
        }
        found.sort { $0.time < $1.time }
        guard let start = found.first else { return nil }
        first = start.before
        changes = found.map { ($0.time, $0.after) }
    }

    func offset(at time: PointInTime) -> Int {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].time <= time.seconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : changes[low - 1].offset
    }

    /// Whether a zone has the same times from a year before to four years after a time.
    func isEqual(to zone: ZoneCalendar, around now: PointInTime) -> Bool {
        let range = (now.seconds - 31_622_400)..<(now.seconds + 126_489_600)
        let ends = changes.lazy.map(\.time).filter { range.contains($0) }.flatMap { [$0 - 1, $0] }
        let samples = stride(from: range.lowerBound, to: range.upperBound, by: 864_000)
        func isSame(_ seconds: Int64) -> Bool {
            let time = PointInTime(seconds: seconds)
            return offset(at: time) == zone.offset(at: time)
        }
        return samples.allSatisfy(isSame) && ends.allSatisfy(isSame)
    }

    /// The times at which an observance starts, in seconds: the first one, those of its rule, and its further dates.
    ///
    /// - Returns: nil if they are not understood, too many, or not found within the budget.
    private static func onsets(
        of observance: ICalendarComponent, _ before: Int, _ budget: inout Int
    ) -> [Int64]? {
        func seconds(_ local: LocalTime) -> Int64 { local.secondsInUTC - Int64(before) }
        guard let start = observance.first("DTSTART").flatMap({ LocalTime(basic: $0.value) })
        else { return nil }
        var found = [seconds(start)]
        for property in observance.properties where property.name == "RDATE" {
            for value in property.value.split(separator: ",") {
                guard let time = LocalTime(basic: value) else { return nil }
                found.append(seconds(time))
            }
        }
        for property in observance.properties where property.name == "RRULE" {
            guard let rule = try? RepeatRule(rule: property.value), rule.frequency == .yearly,
                rule.firstTimeOfDay == nil
            else { return nil }
            var (last, count) = (start, 1)
            if rule.limit == nil, last.secondsInUTC < range.lowerBound {
                last = LocalTime(secondsInUTC: range.lowerBound)
            }
            while let next = rule.time(after: last, from: start, isDay: false, budget: &budget) {
                let time = seconds(next)
                count += 1
                if time >= range.upperBound || rule.limit.map({ count > $0 }) ?? false
                    || rule.isPast(next, at: time)
                {
                    break
                }
                found.append(time)
                guard found.count <= maximumChanges else { return nil }
                last = next
            }
            guard budget > 0 else { return nil }
        }
        return found
    }

    /// Parses an offset such as `+0100` or `-033000`.
    private static func offset(_ text: String) -> Int? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let digits = String(text.dropFirst())
        guard let number = Digits.number(digits, 4...6), digits.utf8.count != 5 else { return nil }
        let clock = digits.utf8.count == 4 ? number * 100 : number
        guard clock / 100 % 100 < 60, clock % 100 < 60, clock < 240_000 else { return nil }
        let seconds = (clock / 10_000 * 60 + clock / 100 % 100) * 60 + clock % 100
        return sign == "-" ? -seconds : seconds
    }
}

extension RepeatRule {
    /// The number of occurrences; nil without one.
    fileprivate var limit: Int? {
        if case .count(let count) = end { count } else { nil }
    }

    /// Whether an onset is after the end of the rule.
    fileprivate func isPast(_ local: LocalTime, at seconds: Int64) -> Bool {
        switch end {
        case .until(let time): time.seconds < seconds
        case .untilLocal(let time): time < local
        case .untilDay(let day): day < local.date
        case .count, nil: false
        }
    }
}

extension ZoneCalendar {
    /// The names of the zones in the machine's database, without other names of the same ones.
    fileprivate static var names: [String] {
        let table = FileSystem.content("/usr/share/zoneinfo/zone1970.tab", limit: 262_144) ?? []
        let lines = String(decoding: table, as: UTF8.self).split { $0.isNewline }
        let named = lines.filter { !$0.hasPrefix("#") }.compactMap { line -> String? in
            let columns = line.split(separator: "\t")
            return columns.count > 2 ? String(columns[2]) : nil
        }
        let fixed = (1...14).map { "Etc/GMT-\($0)" } + (1...12).map { "Etc/GMT+\($0)" }
        return ["Etc/UTC"] + named + fixed
    }
}
