internal import CommandLine
internal import Tasks

/// The to-do list of a vault that is removed: it stays, and the words of its protected tasks go.
struct LeftTasks {
    private enum Protected {
        case none
        case some(Int)
        /// A server is not asked, and a damaged file keeps nobody from removing a vault.
        case unknown
    }

    /// How messages name the database; nil where there is no list.
    private let title: String?
    private let protected: Protected

    /// Looks at the list before the vault is removed.
    init(_ context: CommandContext) {
        guard let setting = try? context.preferences()[.database],
            let place = try? TaskDatabasePlace(setting, context.folders),
            !place.isFile || FileSystem.exists(context.folders.tasks)
        else {
            title = nil
            protected = .none
            return
        }
        title = place.title
        protected = place.isFile ? Self.count(place) : .unknown
    }

    private static func count(_ place: TaskDatabasePlace) -> Protected {
        guard let repository = try? place.open(.reading) else { return .unknown }
        defer { repository.close() }
        guard let count = try? repository.count(TaskFilter(isProtected: true)) else {
            return .unknown
        }
        return count == 0 ? .none : .some(count)
    }

    /// What goes with the vault, as the beginning of a sentence; nil where it is nothing.
    var lost: String? {
        switch protected {
        case .none: nil
        case .some(let count): "The words of \(counted(count, "protected task"))"
        case .unknown: "The words of protected tasks"
        }
    }

    /// Says what has become of the list.
    func report(_ notices: Notices) {
        guard let title else { return }
        switch protected {
        case .none: notices.remark("the to-do list \(title) stays")
        case .some(let count):
            notices.warn(
                "protected_words_removed",
                "the words of \(counted(count, "protected task")) went with it; the to-do list \(title) stays"
            )
        case .unknown:
            notices.warn(
                "protected_words_removed",
                "the words of protected tasks went with it; the to-do list \(title) stays")
        }
    }
}
