/// The work that one file may cause: the days that the searches of its rules examine, and the zones of the machine that it names.
///
/// A rule may be one of a person and never happen, such as the first Monday of the month on the 20th. A file could have thousands.
final class ICalendarWork {
    /// The days that each rule may examine besides those of the file: more than any usual rule.
    private static let ofEachRule = 1_000
    /// A limit of zones that are remembered.
    private static let maximumZones = 1_000

    private var spare: Int
    private var zones: [String: ZoneCalendar?] = [:]

    /// - Parameter spare: The days that all rules may examine beyond ``ofEachRule``.
    init(_ spare: Int = 2_000_000) {
        self.spare = spare
    }

    /// Runs a search with the days that a rule may still examine.
    ///
    /// - Parameters:
    ///   - exceptions: The number of exceptions of the rule, each of which takes as long as some days.
    ///   - body: Searches, and takes what it examined from the budget.
    /// - Returns: The result; nil if the exceptions exceed the budget.
    func searching<Result>(
        besides exceptions: Int, _ body: (inout Int) -> Result?
    ) -> Result? {
        let available = min(Self.ofEachRule + min(spare, Int.max / 2), Int.max / 2)
        var left = available - exceptions * 8
        defer { spare = max(0, spare - max(0, available - left - Self.ofEachRule)) }
        return left > 0 ? body(&left) : nil
    }

    /// The zone of this name; nil if the machine does not know it.
    func zone(_ name: String) -> ZoneCalendar? {
        if let known = zones[name] { return known }
        let zone = ZoneCalendar(name)
        if zones.count < Self.maximumZones { zones[name] = .some(zone) }
        return zone
    }
}
