/// A number with its noun, such as `3 tasks`.
package func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}

/// A number of bytes in a decimal unit, such as `1.2 MB`.
package func byteText(_ count: UInt64) -> String {
    guard count >= 1_000 else { return "\(count) B" }
    let units = ["kB", "MB", "GB", "TB"]
    // In tenths of the unit.
    var tenths = (count + 50) / 100
    var unit = 0
    while tenths >= 10_000, unit < units.count - 1 {
        tenths = (tenths + 500) / 1_000
        unit += 1
    }
    let text = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\((tenths + 5) / 10)"
    return "\(text) \(units[unit])"
}
