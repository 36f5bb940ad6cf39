extension CommandFailure {
    /// What a database fails with whatever it holds.
    package enum DatabaseTrouble: Sendable {
        /// Nobody answers, or lets us in.
        case unreachable(reason: String)
        /// The connection was lost while a change was being committed.
        case outcomeUnknown
        /// It cannot be written.
        case readOnly
        /// No space left.
        case full
        /// Others are using it, for too long.
        case busy
        /// It was closed.
        case closed
        /// Anything else.
        case failed(detail: String)
    }

    /// Explains what is the matter with a database.
    ///
    /// - Parameters:
    ///   - trouble: What it is.
    ///   - title: How messages name the database.
    ///   - hint: What shows more of it.
    package init(_ trouble: DatabaseTrouble, of title: String, hint: String? = nil) {
        switch trouble {
        case .unreachable(let reason):
            self.init(
                .serverUnreachable, code: "database_unreachable",
                "cannot use the database \(title): \(reason)", hint: hint)
        case .outcomeUnknown:
            self.init(
                .failure, code: "outcome_unknown",
                "the connection to \(title) was lost in the last moment: it is not known whether the change was made",
                hint: hint)
        case .readOnly:
            self.init(.failure, code: "read_only", "\(title) cannot be written", hint: hint)
        case .full:
            self.init(
                .failure, code: "disk_full", "no space left for \(title); nothing was changed",
                hint: hint ?? "make space and run it again")
        case .busy:
            self.init(
                .refused, code: "busy", "another program is using \(title) for too long",
                hint: hint ?? "run it again when it is done")
        case .closed:
            self.init(
                .failure, code: "database_closed", "\(title) was closed meanwhile", hint: hint)
        case .failed(let detail):
            self.init(.failure, code: "input_output", "\(detail), on \(title)", hint: hint)
        }
    }
}
