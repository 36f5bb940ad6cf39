/// Why a text is no time when something is due.
public enum DueTimeError: Error, Sendable, Hashable {
    /// There is nothing in it.
    case empty
    /// It has a form that is not known here.
    case notUnderstood
    /// A date that people of different countries read differently; `readings` are what it may mean.
    case ambiguousDate(readings: [String])
    /// A word or two that people use for different times: `next friday`, `tonight`, `midnight`.
    case ambiguousWord(String)
    /// A number that may be an hour of the morning or of the evening, or no hour at all.
    case unclearTime
    /// A day that its month does not have.
    case impossibleDate
    /// An hour, minute or second beyond the last one.
    case impossibleTime
    /// An offset from UTC of a day or more.
    case impossibleOffset
    /// An offset from UTC, or a day and a time, where a whole date has to stand with it.
    case offsetWithoutDate
    /// Days or months together with hours or minutes, which do not count alike when clocks change.
    case mixedUnits
    /// A number of units without the unit.
    case missingUnit
    /// Outside of the years 0 to 9999.
    case outOfRange
    /// The clocks are set forward over it; `around` are the times that may have been meant.
    case skipped(LocalTime, around: [LocalTime])
    /// The clocks show it twice; `spellings` tell one from the other.
    case repeated(LocalTime, spellings: [String])
}

extension DueTimeError: CustomStringConvertible {
    /// The reason for a person: lower case, no full stop.
    public var description: String {
        switch self {
        case .empty: "no time is given"
        case .notUnderstood: "this is no time that is understood here"
        case .ambiguousDate: "this date is read differently in different countries"
        case .ambiguousWord(let word): "'\(word)' may mean more than one time"
        case .unclearTime: "an hour needs minutes, or am or pm"
        case .impossibleDate: "there is no such day"
        case .impossibleTime: "there is no such time of day"
        case .impossibleOffset: "there is no such offset from UTC"
        case .offsetWithoutDate: "an offset from UTC needs a whole date and a time before it"
        case .mixedUnits: "days and hours cannot be counted together"
        case .missingUnit: "a number needs its unit"
        case .outOfRange: "only the years 0 to 9999 can be used"
        case .skipped(let local, _):
            "\(TimeText.text(local)) does not exist: the clocks are set forward over it"
        case .repeated(let local, _):
            "\(TimeText.text(local)) comes twice: the clocks are set back over it"
        }
    }

    /// Two or three texts that work.
    public var examples: [String] {
        switch self {
        case .empty, .notUnderstood, .outOfRange: ["tomorrow 9:00", "fri 18:00", "2026-12-01"]
        case .ambiguousDate(let readings): readings
        case .ambiguousWord: ["fri 18:00", "in 1 week", "2026-12-01 09:00"]
        case .unclearTime, .impossibleTime: ["9:00", "9pm", "fri 23:59"]
        case .impossibleDate: ["2026-12-01", "29 feb", "in 3 days"]
        case .impossibleOffset, .offsetWithoutDate: ["2026-12-01T09:00+02:00", "2026-12-01 09:00Z"]
        case .mixedUnits, .missingUnit: ["in 3 days", "in 2h", "in 1h 30m"]
        case .skipped(_, let around): around.map { TimeText.text($0) }
        case .repeated(_, let spellings): spellings
        }
    }
}
