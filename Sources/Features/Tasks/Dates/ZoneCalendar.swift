internal import Platform
internal import TextCoding

/// A calendar that may know the name of its zone.
package protocol ZonedCalendar: LocalCalendar {
    /// The name in the machine's zone database; nil if unknown.
    var zoneName: String? { get }
}

extension SystemCalendar: ZonedCalendar {
    /// The name in `TZ`, or the target of the link `/etc/localtime`.
    package var zoneName: String? {
        let variable = unsafe getenv("TZ").map { unsafe String(cString: $0) }
        guard let name = variable.map({ $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }) ?? link
        else { return nil }
        return name.isEmpty ? "UTC" : name
    }

    /// The value of `TZ` that names no zone of this machine, so that times are in UTC; nil for a valid one.
    package var unknownZone: String? {
        guard let variable = unsafe getenv("TZ").map({ unsafe String(cString: $0) }) else {
            return nil
        }
        let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
        guard !name.isEmpty, ZoneCalendar(name) == nil, ZoneRule(name) == nil else { return nil }
        // The C library also reads a file elsewhere.
        let file =
            name.hasPrefix("/") ? FileSystem.content(name, limit: ZoneCalendar.maximumSize) : nil
        return file?.starts(with: "TZif".utf8) == true ? nil : name
    }

    private var link: String? {
        guard let path = unsafe realpath("/etc/localtime", nil) else { return nil }
        defer { unsafe free(path) }
        let name = unsafe String(cString: path)
        return name.byteRange(of: "zoneinfo/").map { String(name[$0.upperBound...]) }
    }
}

/// The calendar of a zone in the machine's zone database, such as `Europe/Berlin` (RFC 8536).
struct ZoneCalendar: ZonedCalendar {
    private static let folder = "/usr/share/zoneinfo/"
    /// A limit in bytes, far above the largest file.
    fileprivate static let maximumSize = 65_536

    /// The name of the zone.
    let name: String
    /// The times of changes, in seconds, and the offsets from those times on.
    private var changes: [(time: Int64, offset: Int)] = []
    private var first = 0
    /// The rule after the last change.
    private var rule: ZoneRule?

    /// Finds a zone; nil if the machine does not know it. Some programs add a path before
    /// the name; of a path, its last one to three parts are tried.
    init?(_ name: String) {
        self.name = name
        let parts = name.split(separator: "/")
        guard (1...8).contains(parts.count),
            parts.allSatisfy({ part in
                part.first != "."
                    && part.utf8.allSatisfy {
                        Character(Unicode.Scalar($0)).isLetter || Digits.isDigit($0)
                            || "+-_.".utf8.contains($0)
                    }
            })
        else { return nil }
        for size in name.hasPrefix("/") ? [3, 2, 1] : [parts.count] where size <= parts.count {
            let path = Self.folder + parts.suffix(size).joined(separator: "/")
            if let bytes = FileSystem.content(path, limit: Self.maximumSize), read(bytes) { return }
        }
        return nil
    }

    /// The zone of a calendar; nil if its name is unknown.
    init?(of calendar: any LocalCalendar) {
        guard let name = (calendar as? any ZonedCalendar)?.zoneName else { return nil }
        self.init(name)
    }

    var zoneName: String? { name }

    /// Whether its times can be written as UTC.
    var isUTC: Bool { changes.isEmpty && rule.map { $0.isUTC } ?? (first == 0) }

    func offset(at time: PointInTime) -> Int {
        let seconds = time.seconds
        guard let last = changes.last, seconds < last.time || rule == nil else {
            return rule?.offset(at: seconds) ?? first
        }
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].time <= seconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : changes[low - 1].offset
    }

    /// Parses the second block of a file, with 64-bit times.
    private mutating func read(_ bytes: [UInt8]) -> Bool {
        func number(_ size: Int, at offset: Int) -> Int64? {
            guard offset >= 0, offset + size <= bytes.count else { return nil }
            var (value, place) = (UInt64(0), offset)
            while place < offset + size {
                value = value << 8 | UInt64(bytes[place])
                place += 1
            }
            return size == 8
                ? Int64(bitPattern: value) : Int64(Int32(truncatingIfNeeded: Int64(value)))
        }
        /// The numbers of a header: flags of UTC and standard time, leap seconds, changes, types, characters.
        func counts(at offset: Int) -> [Int]? {
            let counts = (0..<6).compactMap { number(4, at: offset + 20 + $0 * 4) }
            guard counts.count == 6, counts.allSatisfy({ (0...10_000).contains($0) }) else {
                return nil
            }
            return counts.map { Int($0) }
        }
        guard bytes.starts(with: "TZif".utf8), bytes.count > 44, bytes[4] >= 0x32,
            let old = counts(at: 0)
        else { return false }
        let start = 44 + old[3] * 5 + old[4] * 6 + old[5] + old[2] * 8 + old[1] + old[0]
        guard let size = counts(at: start), size[4] > 0 else { return false }
        let types = start + 44 + size[3] * 9
        let offsets = (0..<size[4]).map { number(4, at: types + $0 * 6).map { Int($0) } }
        var found: [(Int64, Int)] = []
        for index in 0..<size[3] {
            guard let time = number(8, at: start + 44 + index * 8),
                let type = number(1, at: start + 44 + size[3] * 8 + index),
                type < offsets.count, let offset = offsets[Int(type)], abs(offset) < 86_400
            else { return false }
            found.append((time, offset))
        }
        guard let first = offsets[0], abs(first) < 86_400 else { return false }
        let footer = types + size[4] * 6 + size[5] + size[2] * 12 + size[1] + size[0]
        guard footer < bytes.count else { return false }
        let text = String(decoding: bytes[footer...], as: UTF8.self)
        (changes, self.first) = (found, first)
        rule = ZoneRule(text.filter { !$0.isNewline })
        return true
    }
}

/// The rule of a zone for all years: `CET-1CEST,M3.5.0,M10.5.0/3` (POSIX.1, `TZ`). Without days of its own, summer has those of the C
/// library.
private struct ZoneRule {
    /// The week of a month and the day of the week, and the seconds since that midnight.
    private struct Change {
        let month: Int
        let week: Int
        let weekday: Int
        let seconds: Int

        /// The local time of the change, in seconds since 1970.
        func local(year: Int) -> Int64? {
            guard let first = CalendarDate(year: year, month: month, day: 1) else { return nil }
            // Sunday is 0 in the rule, and Monday is 0 in `Weekday`.
            let distance = ((weekday + 6) % 7 - first.weekday.rawValue + 7) % 7 + (week - 1) * 7
            let day = first.advanced(byDays: distance)
            return (day.month == month ? day : day.advanced(byDays: -7)).number * 86_400
                + Int64(seconds)
        }
    }

    private let standard: Int
    private var summer: (offset: Int, start: Change, end: Change)?

    /// Parses a rule; nil for other forms.
    init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.count == 3 else { return nil }
        var names = parts[0]
        guard Self.dropName(&names), let standard = Self.takeSeconds(&names) else { return nil }
        // POSIX offsets are positive to the west.
        self.standard = -standard
        if names.isEmpty { return }
        guard Self.dropName(&names) else { return nil }
        let offset = names.isEmpty ? self.standard + 3_600 : Self.takeSeconds(&names).map { -$0 }
        let days = parts.count == 3 ? parts.dropFirst() : ["M3.2.0", "M11.1.0"]
        guard names.isEmpty, let offset, let start = days.first.flatMap(Self.change),
            let end = days.last.flatMap(Self.change)
        else { return nil }
        summer = (offset, start, end)
    }

    var isUTC: Bool { standard == 0 && summer == nil }

    func offset(at seconds: Int64) -> Int {
        guard let summer else { return standard }
        let year = LocalTime(secondsInUTC: seconds + Int64(standard)).date.year
        guard let start = summer.start.local(year: year), let end = summer.end.local(year: year)
        else { return standard }
        let (from, until) = (start - Int64(standard), end - Int64(summer.offset))
        let isSummer =
            from < until ? (from..<until).contains(seconds) : !(until..<from).contains(seconds)
        return isSummer ? summer.offset : standard
    }

    /// Removes a name of three letters at least; `false` without one.
    private static func dropName(_ text: inout Substring) -> Bool {
        if text.first == "<" {
            text = text.drop { $0 != ">" }.dropFirst()
            return true
        }
        let rest = text.drop { $0.isLetter }
        defer { text = rest }
        return text.utf8.count - rest.utf8.count >= 3
    }

    /// `-1`, `5:30` or `-167:30:15`.
    private static func takeSeconds(_ text: inout Substring) -> Int? {
        let isNegative = text.first == "-"
        if isNegative || text.first == "+" { text = text.dropFirst() }
        let clock = text.prefix { $0.isNumber || $0 == ":" }
        text = text.dropFirst(clock.count)
        let numbers = clock.split(separator: ":", omittingEmptySubsequences: false).map {
            Digits.number($0, 1...3)
        }
        guard (1...3).contains(numbers.count), numbers.allSatisfy({ $0 != nil }) else { return nil }
        let seconds = zip(numbers, [3_600, 60, 1]).reduce(0) { $0 + ($1.0 ?? 0) * $1.1 }
        return isNegative ? -seconds : seconds
    }

    /// `M10.5.0/3`.
    private static func change(_ text: Substring) -> Change? {
        guard text.first == "M" else { return nil }
        let sides = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let numbers = sides[0].split(separator: ".").compactMap { Digits.number($0, 1...2) }
        guard numbers.count == 3, (1...12).contains(numbers[0]), (1...5).contains(numbers[1]),
            numbers[2] < 7, sides.count <= 2
        else { return nil }
        var clock = sides.count == 2 ? sides[1] : "2"
        guard let seconds = takeSeconds(&clock), clock.isEmpty else { return nil }
        return Change(month: numbers[0], week: numbers[1], weekday: numbers[2], seconds: seconds)
    }
}
