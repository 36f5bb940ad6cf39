/// The last line of a pager.
enum PagerStatus {
    /// Such as `hidden in 1:42 · q closes · lines 1-20 of 57`, what matters most first: the end may be cut.
    static func line(timeLeft: Duration?, position: ScrollPosition, separator: String) -> String {
        var parts: [String] = []
        if let timeLeft { parts.append("hidden in \(clock(timeLeft))") }
        parts.append("q closes")
        if position.scrolls {
            let visible = position.visible
            parts.append(
                "lines \(visible.lowerBound + 1)-\(visible.upperBound) of \(position.count)")
        }
        return parts.joined(separator: " \(separator) ")
    }

    /// Minutes and seconds, and hours where there are any. A begun second counts whole: there is none left only when it is over.
    static func clock(_ time: Duration) -> String {
        let (whole, rest) = time.components
        let seconds = max(0, rest > 0 ? whole + 1 : whole)
        let minutes = seconds / 60 % 60
        let end = (seconds % 60 < 10 ? ":0" : ":") + "\(seconds % 60)"
        guard seconds >= 3_600 else { return "\(minutes)" + end }
        return "\(seconds / 3_600)" + (minutes < 10 ? ":0" : ":") + "\(minutes)" + end
    }
}
