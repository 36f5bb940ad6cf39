internal import TextCoding

// Definitions of zones (RFC 5545, section 3.6.5).

extension ZoneCalendar {
    /// The VTIMEZONE of a name, with each clock change from 1970 to 2099.
    ///
    /// A list contains the changes that no yearly rule can express. An example is the Friday after
    /// a month's last Thursday in Egypt.
    func definition(_ name: String) -> ICalendarComponent {
        var zone = ICalendarComponent(name: "VTIMEZONE", line: 0)
        zone.properties = [("TZID", name)].properties
        let first = offset(at: PointInTime(seconds: 0))
        zone.components = [Self.observance(first, first, ["19700101T000000"])]
        var times: [[Int]: [String]] = [:]
        var pairs: [[Int]] = []
        for change in changes(0..<4_102_444_800) {
            let pair = [change.before, change.after]
            if times[pair] == nil { pairs.append(pair) }
            let local = LocalTime(secondsInUTC: change.time + Int64(change.before))
            times[pair, default: []].append(local.basic)
        }
        zone.components += pairs.map { Self.observance($0[0], $0[1], times[$0] ?? []) }
        return zone
    }

    private static func observance(
        _ before: Int, _ after: Int, _ times: [String]
    ) -> ICalendarComponent {
        func text(_ offset: Int) -> String { TimeText.offset(offset).filter { $0 != ":" } }
        var observance = ICalendarComponent(
            name: after > before ? "DAYLIGHT" : "STANDARD", line: 0)
        let others = times.dropFirst().joined(separator: ",")
        observance.properties =
            [
                ("DTSTART", times.first), ("RDATE", others.isEmpty ? nil : others),
                ("TZOFFSETFROM", text(before)), ("TZOFFSETTO", text(after)),
            ].properties
        return observance
    }

    /// The changes of the offset; two changes are at least a day apart.
    private func changes(
        _ seconds: Range<Int64>
    ) -> [(time: Int64, before: Int, after: Int)] {
        func offset(_ time: Int64) -> Int { self.offset(at: PointInTime(seconds: time)) }
        return stride(from: seconds.lowerBound, to: seconds.upperBound, by: 86_400).compactMap {
            var (low, high) = ($0, $0 + 86_400)
            let (before, after) = (offset(low), offset(high))
            if before == after { return nil }
            while high - low > 1 {
                let middle = (low + high) / 2
                if offset(middle) == before { low = middle } else { high = middle }
            }
            return (high, before, after)
        }
    }
}

extension [(String, String?)] {
    /// The properties of these names, with their parameters, if they have a value.
    var properties: [ICalendarProperty] {
        compactMap { name, value in
            value.flatMap { ICalendarProperty(name + ":" + $0, line: 0) }
        }
    }
}
