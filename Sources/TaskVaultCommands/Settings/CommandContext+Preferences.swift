internal import CommandLine
internal import Tasks
internal import VaultStorage

extension CommandContext {
    /// The preferences as they are now; where no folder for them is known, what holds where nothing was set.
    func preferences() throws(CommandFailure) -> PreferenceFile {
        guard let path = folders.preferences else { return PreferenceFile() }
        do throws(PreferenceFile.Failure) {
            return try PreferenceFile(path: path)
        } catch {
            throw CommandFailure(error, path)
        }
    }

    /// Sets a preference.
    ///
    /// - Returns: What held until then.
    @discardableResult
    func set(_ preference: Preference, to value: String) throws(CommandFailure) -> String {
        guard let folder = folders.preferencesFolder, let path = folders.preferences else {
            throw .usage("no folder for settings is known", hint: "set HOME, or give --home DIR")
        }
        do throws(StorageError) {
            try VaultLocation.prepareFolder(at: folder)
        } catch {
            throw CommandFailure(error, vault)
        }
        do throws(PreferenceFile.Failure) {
            var old = ""
            try PreferenceFile.change(path) { (file) throws(PreferenceFile.Failure) in
                old = file[preference]
                try file.set(preference, to: value)
            }
            return old
        } catch {
            throw CommandFailure(error, path)
        }
    }
}

extension Preference {
    /// The value in its one spelling; nil for what it cannot be.
    func canonical(_ text: String) -> String? {
        switch self {
        case .database, .vault:
            if text == standard { return text }
            let isAddress = ["postgresql://", "postgres://"].contains { text.hasPrefix($0) }
            return isAddress && !text.unicodeScalars.contains { $0.value < 0x21 } ? text : nil
        case .taskOrder:
            return TaskOrder(rawValue: text)?.rawValue
        case .clearAfter:
            if text == "never" { return text }
            guard let span = TimeSpan(text), (60...31_536_000).contains(span.seconds) else {
                return nil
            }
            return span.text
        }
    }

    /// What it can be, for messages.
    var explanation: String {
        switch self {
        case .database: "database is sqlite, or an address such as postgresql://host/name"
        case .vault: "vault is file, or an address such as postgresql://host/name"
        case .taskOrder:
            "task-order is " + TaskOrder.allCases.map(\.rawValue).joined(separator: ", ")
        case .clearAfter: "clear-after is a time from 1m to 8760h, or never"
        }
    }
}

extension CommandFailure {
    fileprivate init(_ error: PreferenceFile.Failure, _ path: String) {
        switch error {
        case .system(let failure):
            self.init(
                .failure, code: "settings_file",
                "cannot use the settings file \(path): \(failure.explanation)")
        case .file(let reason):
            self.init(
                .refused, code: "settings_file", "the settings file \(path) is not used: \(reason)")
        case .line(let number, let reason):
            self.init(
                .usage, code: "settings_file", "\(path), line \(number): \(reason)",
                hint: "correct the line, or remove it")
        }
    }
}
