package import SecureStorage
internal import TextCoding

/// When the password of an entry is changed: by attributes of the entry, and a task of the to-do list.
package struct SecretRenewal: Sendable, Hashable {
    /// The attribute with the last day on which the password is valid.
    package static let expiresKey = "expires"
    private static let periodKey = "change-every"
    private static let taskKey = "change-task"

    /// The last day on which the password is valid, such as `2026-12-01`; nil without one.
    package var expires: String?
    /// The time between two changes; nil if there is one change at most.
    package var period: Period?
    /// The id of the task; nil without one.
    package var task: String?

    /// A number of days, weeks, months or years.
    package struct Period: Sendable, Hashable {
        private static let units = ["day", "week", "month", "year"]
        /// The largest interval of a repeating task.
        private static let largest = 1_000

        /// The number and the unit, such as `90 days`; the list reads it after `every` and after `in`.
        package let text: String

        /// Parses `90d`, `12 weeks`, `6 months`, `a year`.
        package init?(_ typed: String) {
            let text = typed.lowercased()
            let digits = text.prefix { ("0"..."9").contains($0) }
            var unit = text.dropFirst(digits.count).drop { $0 == " " }
            var number = Int(digits)
            for article in ["a ", "one "] where digits.isEmpty && unit.hasPrefix(article) {
                (number, unit) = (1, unit.dropFirst(article.count))
            }
            guard let number, (1...Self.largest).contains(number),
                let name = Self.units.first(where: { name in
                    unit == name.prefix(1) && name != "month" || unit == name || unit == name + "s"
                })
            else { return nil }
            self.text = "\(number) \(name)\(number == 1 ? "" : "s")"
        }
    }

    /// Reads the attributes of an entry.
    package init(_ attributes: SecretAttributes) {
        expires = attributes[Self.expiresKey]
        period = attributes[Self.periodKey].flatMap { Period($0) }
        task = attributes[Self.taskKey]
    }

    /// Whether the entry has a day or a task.
    package var isPlanned: Bool { expires != nil || period != nil }

    /// Writes the attributes.
    package func write(to attributes: inout SecretAttributes) {
        attributes[Self.expiresKey] = expires
        attributes[Self.periodKey] = period?.text
        attributes[Self.taskKey] = task
    }
}
