/// Whether a text may be shown now.
package enum TextPermission: Sendable, Hashable {
    /// It may, until the person closes it.
    case shown
    /// It may for this long; none left means that it may not.
    case shownFor(Duration)
    /// It must not be seen any more.
    case hidden

    /// How much longer it may be shown, nil where there is no end; nil as a whole where it may not.
    var timeLeft: Duration?? {
        switch self {
        case .shown: .some(nil)
        case .shownFor(let time) where time > .zero: .some(time)
        case .shownFor, .hidden: nil
        }
    }
}
