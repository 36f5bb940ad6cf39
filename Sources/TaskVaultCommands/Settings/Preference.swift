/// A setting that is no secret and needs no unlocked vault: it lies as a line in the file `settings`.
package enum Preference: String, CaseIterable, Sendable {
    /// Where the tasks are: `sqlite`, or the address of a PostgreSQL database.
    case database
    /// Where the vault is: `file`, or the address of a PostgreSQL database.
    case vault
    /// The order of a list of tasks.
    case taskOrder = "task-order"
    /// How long completed tasks are shown, or `never`.
    case clearAfter = "clear-after"

    /// What holds where nothing was set.
    var standard: String {
        switch self {
        case .database: "sqlite"
        case .vault: "file"
        case .taskOrder: "due"
        case .clearAfter: "24h"
        }
    }

    /// The name in JSON.
    var member: String { rawValue.split(separator: "-").joined(separator: "_") }
}
