/// The rules of sync that a test can switch off, to see that the model finds it. All are in force everywhere else.
package struct SyncRules: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// A segment is applied after all that its heads name.
    package static let causalOrder = SyncRules(rawValue: 1 << 0)
    /// The heads of its segment say what an author had seen; otherwise it had seen all older stamps.
    package static let heads = SyncRules(rawValue: 1 << 1)
    /// A version is compared with every kept version; otherwise with the current one only.
    package static let everyVersion = SyncRules(rawValue: 1 << 2)
    /// Kept parts are applied before a command changes anything.
    package static let keptPartsFirst = SyncRules(rawValue: 1 << 3)
    /// A remove covers what its author had seen; otherwise all older stamps.
    package static let coverage = SyncRules(rawValue: 1 << 4)
    /// Two objects with one name become one; otherwise both stay.
    package static let aliases = SyncRules(rawValue: 1 << 5)
    /// A removed object is erased after the heads of all members are past it.
    package static let erasure = SyncRules(rawValue: 1 << 6)
    /// A restore repeats the whole object.
    package static let repetition = SyncRules(rawValue: 1 << 7)
    /// An occurrence is named by the date for which the rule first scheduled it; otherwise the newest record has the due date.
    package static let occurrences = SyncRules(rawValue: 1 << 8)
    /// Protection ends only by a record whose author had seen each that says protected; otherwise the newest one decides.
    package static let protection = SyncRules(rawValue: 1 << 10)

    package static let all = SyncRules(rawValue: .max)
}
