/// The levels of secrecy of records. Who has the key of a level has those of the lower ones.
package enum SyncLevel: UInt8, CaseIterable, Comparable, Sendable {
    /// The list, which is readable on a locked machine: the key L.
    case list = 0
    /// Secrets of class 1: the key U.
    case whileUnlocked = 1
    /// Secrets of class 2 and protected text: the key V.
    case afterVerification = 2

    package static func < (left: SyncLevel, right: SyncLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}
