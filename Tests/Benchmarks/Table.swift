/// The figures of one part of a run.
struct Table {
    /// A measurement, or why it was skipped.
    struct Row {
        let name: String
        /// Nil if it was skipped.
        var figure: Figure?
        /// The thing that it is compared with, or why it was skipped.
        var baseline = ""
        var other: Figure?
        var ratio: Double?
        /// A ratio, or a figure.
        var aim: Figure?
        /// Whether the aim is the least, and not the most.
        var isLeast = false

        /// Nil without an aim.
        var isMet: Bool? {
            guard let aim else { return nil }
            let value = if case .ratio = aim { ratio } else { figure?.value }
            return value.map { isLeast ? $0 >= aim.value : $0 <= aim.value }
        }

        fileprivate var cells: [String] {
            let ratioText = ratio.map { Figure.ratio($0).text } ?? ""
            let aimText = aim.map { (isLeast ? "≥ " : "≤ ") + $0.text } ?? ""
            let verdict = isMet.map { $0 ? "met" : "MISSED" } ?? ""
            return [
                name, figure?.text ?? "skipped", baseline, other?.text ?? "", ratioText, aimText,
                verdict,
            ]
        }
    }

    private(set) var rows: [Row] = []

    /// Adds a figure, beside another one, with their ratio and an aim: the most for the ratio, or the most or the least for the figure.
    mutating func add(
        _ name: String, _ figure: Figure, against baseline: String = "", _ other: Figure? = nil,
        ratio: Double? = nil, aim: Double? = nil, atMost most: Figure? = nil,
        atLeast least: Figure? = nil
    ) {
        rows.append(
            Row(
                name: name, figure: figure, baseline: baseline, other: other, ratio: ratio,
                aim: least ?? most ?? aim.map { Figure.ratio($0) }, isLeast: least != nil))
    }

    /// Adds product against baseline.
    mutating func add(
        _ name: String, _ times: PairedTimes, against baseline: String, aim: Double? = nil
    ) {
        add(
            name, .time(times.first.median), against: baseline, .time(times.second.median),
            ratio: times.ratio, aim: aim)
    }

    /// Adds rates of product and baseline, where more is better.
    mutating func add(
        rates name: String, _ rates: PairedTimes, against baseline: String,
        atLeast aim: Double? = nil
    ) {
        add(
            name, .perSecond(rates.first.median), against: baseline,
            .perSecond(rates.second.median), ratio: rates.ratio,
            atLeast: aim.map { Figure.ratio($0) })
    }

    /// Adds means, in which the rare expensive round takes part.
    mutating func add(
        mean name: String, _ times: PairedTimes, against baseline: String, aim: Double? = nil
    ) {
        add(
            name, .time(times.first.mean), against: baseline, .time(times.second.mean),
            ratio: times.ratioOfSums, aim: aim)
    }

    /// Adds what was not measured, and why.
    mutating func add(_ name: String, skipped reason: String) {
        rows.append(Row(name: name, baseline: reason))
    }

    /// The lines of the table, numbers to the right.
    var lines: [String] {
        let head = ["measurement", "figure", "compared with", "figure", "ratio", "aim", ""]
        let table = [head] + rows.map(\.cells)
        let widths = head.indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        let isNumber = [false, true, false, true, true, true, false]
        var lines = table.map { cells in
            let columns = cells.indices.map { column in
                let filler = String(repeating: " ", count: widths[column] - cells[column].count)
                return isNumber[column] ? filler + cells[column] : cells[column] + filler
            }
            let line = columns.joined(separator: "  ")
            return String(line[...(line.lastIndex { $0 != " " } ?? line.startIndex)])
        }
        let rule = widths.map { String(repeating: "-", count: $0) }
        lines.insert(rule.joined(separator: "  "), at: 1)
        return lines
    }
}

/// A measured quantity.
enum Figure {
    case time(Double)
    case itemsPerSecond(Double)
    case perSecond(Double)
    case count(Int)
    case ratio(Double)
    case bytes(Double)
    case mebibytes(Double)

    var value: Double {
        switch self {
        case .time(let value), .itemsPerSecond(let value), .perSecond(let value),
            .ratio(let value), .bytes(let value), .mebibytes(let value):
            value
        case .count(let value): Double(value)
        }
    }

    /// The value in a base unit, and the unit.
    var base: (value: Double, unit: String) {
        switch self {
        case .time(let nanoseconds): (nanoseconds / 1e9, "s")
        case .itemsPerSecond, .perSecond: (value, "1/s")
        case .count, .ratio: (value, "1")
        case .bytes: (value, "B")
        case .mebibytes: (value * 1_048_576, "B")
        }
    }

    var text: String {
        switch self {
        case .time(let nanoseconds) where nanoseconds < 1e6: fixed(nanoseconds / 1e3, 2) + " µs"
        case .time(let nanoseconds) where nanoseconds < 1e9: fixed(nanoseconds / 1e6, 2) + " ms"
        case .time(let nanoseconds): fixed(nanoseconds / 1e9, 3) + " s"
        case .itemsPerSecond(let rate): fixed(rate / 1e3, 0) + " k/s"
        case .perSecond(let rate): fixed(rate, rate < 100 ? 1 : 0) + " /s"
        case .count(let count): String(count)
        case .ratio(let ratio): fixed(ratio, 2)
        case .bytes(let count): fixed(count, 0) + " B"
        case .mebibytes(let count): fixed(count, 1) + " MiB"
        }
    }
}

/// A number with so many digits after the point.
func fixed(_ value: Double, _ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let units = Int((value * scale).rounded())
    guard digits > 0 else { return String(units) }
    let fraction = String(units % Int(scale))
    return "\(units / Int(scale))." + String(repeating: "0", count: digits - fraction.count)
        + fraction
}
