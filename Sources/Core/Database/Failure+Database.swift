internal import Platform
package import TextCoding

extension Failure {
    /// Explains an error of a database of tasks or accounts, but for those that say that it is another one or gone.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - title: The name of the database in messages.
    ///   - place: The hint for a server that cannot be reached.
    ///   - outcome: The hint for a change that may have been made.
    package init(
        _ error: DatabaseError, of title: String, place: String? = nil, outcome: String? = nil
    ) {
        switch error {
        case .earlierBuild(let schema):
            self.init(
                .damaged, code: "earlier_build",
                "\(title) was written by an earlier build of TaskVault",
                hint: LocationAdvice.hint(earlierSchema: schema))
        case .unsafeLocation(let path, let reason):
            self.init(
                .refused, code: "unsafe_location", "\(path) is not safe to use: \(reason)",
                hint: LocationAdvice.hint(path, reason))
        case .unreachable(let reason):
            self.init(
                .serverUnreachable, code: "database_unreachable",
                "cannot use the database \(title): \(reason)", hint: place)
        case .outcomeUnknown:
            self.init(
                .failure, code: "outcome_unknown",
                "the connection to \(title) was lost while saving; the change may have been made",
                hint: outcome)
        case .readOnly:
            self =
                Failure(unreadable: title, named: title)
                ?? Failure(.failure, code: "read_only", "\(title) cannot be written")
        case .full:
            self.init(
                .failure, code: "disk_full", "no space left for \(title); nothing was changed",
                hint: "free some space and run it again")
        case .busy:
            self.init(
                .refused, code: "busy", "\(title) is in use by another program",
                hint: "run it again when the other process is done")
        case .closed:
            self.init(.failure, code: "database_closed", "\(title) was closed")
        case .tooLarge: self.init("the server's answer is larger than allowed", on: title)
        case .inputOutput(let operation, let code):
            self.init("\(operation) failed with code \(code)", on: title)
        case .notFound: self.init("the file is gone", on: title)
        case .alreadyExists, .missing, .foreign, .newerVersion, .damaged:
            self.init("the file changed while it was opened", on: title)
        case .outOfMemory: self = .outOfMemory
        }
    }

    private init(_ detail: String, on title: String) {
        self.init(.failure, code: "input_output", "\(detail), on \(title)")
    }

    /// Explains that this process has no permission to read a file; nil for any other file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - title: The name of the file in messages.
    package init?(unreadable path: String, named title: String) {
        guard let refusal = FileSystem.readPermissionFailure(path) else { return nil }
        self.init(
            .failure, code: "cannot_read", "cannot read \(title): \(refusal.explanation)",
            hint: "check the permissions of the file and its folder")
    }
}

/// The hint about an unsafe location of a file.
package enum LocationAdvice {
    /// How to put away the data of an earlier build, so that a new database can be created.
    ///
    /// - Parameter schema: The schema with its tables on a server; nil for a file.
    /// - Returns: The hint.
    package static func hint(earlierSchema schema: String?) -> String {
        schema.map { "ALTER SCHEMA \($0) RENAME TO another_name keeps the tables" }
            ?? "rename the file, and a file of the same name with -wal if there is one; a new one is then created"
    }

    /// The command that makes the location safe, if one exists.
    ///
    /// - Parameters:
    ///   - path: The location.
    ///   - reason: The problem, as the storage reports it.
    /// - Returns: The hint; nil if there is none.
    package static func hint(_ path: String, _ reason: String) -> String? {
        switch reason {
        case "accessible to other users", "writable by other users":
            "chmod go= \(ShellText.quote(path)), unless other users need it"
        case "owned by another user":
            "run it as the owner of the file; in a container: docker run --user, podman run --userns keep-id"
        default: nil
        }
    }
}
