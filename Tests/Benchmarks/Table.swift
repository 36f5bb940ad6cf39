/// The figures of one run.
struct Table {
    private var lines: [[String]] = [
        ["measurement", "figure", "compared with", "figure", "ratio", "aim", ""]
    ]

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
        lines.append([
            name, Figure.perSecond(rates.first.median).text, baseline,
            Figure.perSecond(rates.second.median).text, decimals(rates.ratio),
            aim.map { "≥ " + decimals($0) } ?? "", aim.map { verdict($0, rates.ratio) } ?? "",
        ])
    }

    /// Adds means, in which the rare expensive round takes part.
    mutating func add(
        mean name: String, _ times: PairedTimes, against baseline: String, aim: Double? = nil
    ) {
        add(
            name, .time(times.first.mean), against: baseline, .time(times.second.mean),
            ratio: times.ratioOfSums, aim: aim)
    }

    /// Adds two figures and their ratio.
    mutating func add(
        _ name: String, _ figure: Figure, against baseline: String, _ other: Figure, ratio: Double,
        aim: Double? = nil
    ) {
        lines.append([
            name, figure.text, baseline, other.text, decimals(ratio),
            aim.map { "≤ " + decimals($0) } ?? "", aim.map { verdict(ratio, $0) } ?? "",
        ])
    }

    /// Adds a figure that nothing is compared with, or only an aim.
    mutating func add(_ name: String, _ figure: Figure, aim: Double? = nil) {
        lines.append([
            name, figure.text, "", "", "", aim.map { "≤ \(Int($0))" } ?? "",
            aim.map { verdict(figure.value, $0) } ?? "",
        ])
    }

    /// Adds a figure that should be no larger than another.
    mutating func add(_ name: String, _ figure: Figure, atMost aim: Figure) {
        lines.append([
            name, figure.text, "", "", "", "≤ " + aim.text, verdict(figure.value, aim.value),
        ])
    }

    /// Adds a figure that should be no larger than an aim, beside one that explains it.
    mutating func add(
        _ name: String, _ figure: Figure, against baseline: String, _ other: Figure,
        atMost aim: Figure
    ) {
        lines.append([
            name, figure.text, baseline, other.text, "", "≤ " + aim.text,
            verdict(figure.value, aim.value),
        ])
    }

    /// Adds what was not measured, and why.
    mutating func add(_ name: String, skipped reason: String) {
        lines.append([name, "skipped", reason, "", "", "", ""])
    }

    /// Adds a figure that should be no smaller than another.
    mutating func add(_ name: String, _ figure: Figure, atLeast aim: Figure) {
        lines.append([
            name, figure.text, "", "", "", "≥ " + aim.text, verdict(aim.value, figure.value),
        ])
    }

    private func verdict(_ value: Double, _ aim: Double) -> String {
        value <= aim ? "met" : "MISSED"
    }

    private func decimals(_ value: Double) -> String { fixed(value, 2) }

    /// Prints the table, numbers to the right.
    func print() {
        let widths = lines[0].indices.map { column in
            lines.map { $0[column].count }.max() ?? 0
        }
        let isNumber = [false, true, false, true, true, true, false]
        for (number, line) in lines.enumerated() {
            let cells = line.indices.map { column in
                let filler = String(repeating: " ", count: widths[column] - line[column].count)
                return isNumber[column] ? filler + line[column] : line[column] + filler
            }
            Swift.print(cells.joined(separator: "  "))
            if number == 0 {
                let rule = widths.map { String(repeating: "-", count: $0) }
                Swift.print(rule.joined(separator: "  "))
            }
        }
    }
}

/// A measured quantity.
enum Figure {
    case time(Double)
    case itemsPerSecond(Double)
    case perSecond(Double)
    case count(Int)
    case bytes(Double)
    case mebibytes(Double)

    var value: Double {
        switch self {
        case .time(let value), .itemsPerSecond(let value), .perSecond(let value),
            .bytes(let value), .mebibytes(let value):
            value
        case .count(let value): Double(value)
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
