internal import Platform

/// Waits until another thread or process has brought something about.
///
/// The limit, two minutes, is reached only if something hangs: a busy machine needs far less.
///
/// - Returns: Whether it came to that.
package func until(_ isSo: () throws -> Bool) rethrows -> Bool {
    let end = MonotonicTime.now + .seconds(120)
    while try !isSo() {
        guard .now < end else { return false }
        SystemSleep.sleep(.milliseconds(1))
    }
    return true
}

/// Waits as ``until(_:)`` does, and throws what did not come.
package func eventually(_ what: String, _ isSo: () throws -> Bool) throws {
    guard try until(isSo) else { throw NeverTrue(what: what) }
}

/// Something did not become true.
package struct NeverTrue: Error {
    /// The awaited event.
    package let what: String
}
