internal import Platform
internal import TextCoding
internal import VaultStorage

/// The file `settings`: lines `name = value`, empty lines, and comments that begin with `#`.
///
/// Each start reads the file. A change replaces the whole file, so a crash leaves the old or the
/// new one. Other lines stay unchanged.
package struct SettingsFile: Sendable {
    /// The folders of the vault.
    package let folders: VaultFolders

    /// Creates the access to a vault's file; reads nothing.
    package init(_ folders: VaultFolders) {
        self.folders = folders
    }

    /// Reads the file. The result is empty if the file is missing or no folder is known.
    package func read() throws -> Content {
        guard let path = folders.preferences else { return Content() }
        return try Content(path: path)
    }

    /// Sets a setting, or removes its line for nil.
    ///
    /// - Returns: The previous value.
    @discardableResult
    package func set(_ setting: StoredSetting, to value: String?) throws -> String {
        var old = setting.standard
        try change { content in
            old = content[setting]
            content.set(setting, to: value)
        }
        return old
    }

    private func change(_ body: (inout Content) -> Void) throws {
        guard let folder = folders.preferencesFolder, let path = folders.preferences else {
            throw Failure.usage(
                "no folder for settings is known", hint: "set HOME, or give --home DIR")
        }
        try VaultLocation.prepareFolder(at: folder)
        do {
            // The lock keeps other processes from changing the file.
            let descriptor = try FileSystem.openLocked(path, O_RDWR | O_NONBLOCK)
            defer { close(descriptor) }
            var content = try Content(path: path)
            body(&content)
            try FileSystem.replace(path, with: content.text)
        } catch let error as SystemFailure {
            throw Failure(error, settings: path)
        }
    }

    /// Replaces the settings that backups contain.
    package func restore(_ text: String) throws {
        try change { $0.replacePortable(by: text) }
    }

    /// The lines of the file.
    package struct Content {
        /// The largest accepted file, in bytes.
        static let maximumSize = 65_536

        private var lines: [String] = []
        private var values: [String: String] = [:]

        /// Creates a content without lines.
        package init() {}

        /// Reads a file; the result is empty if it is missing.
        package init(path: String) throws {
            guard let text = try Self.read(path) else { return }
            lines = SettingLine.lines(of: text)
            for (index, line) in lines.enumerated() {
                func failure(_ reason: String) -> Failure {
                    Failure(
                        .usage, code: "settings_file", "\(path), line \(index + 1): \(reason)",
                        hint: "correct the line, or remove it")
                }
                switch SettingLine(line) {
                case .empty: continue
                case .malformed: throw failure("a line is 'name = value'")
                case .setting(let name, let value):
                    guard StoredSetting.inFile(name) != nil else {
                        throw failure("unknown setting")
                    }
                    guard values.updateValue(value, forKey: name) == nil else {
                        throw failure("\(name) occurs twice")
                    }
                }
            }
        }

        /// The value of a setting, or its default value.
        package subscript(setting: StoredSetting) -> String {
            values[setting.name] ?? setting.standard
        }

        /// The file as text.
        package var text: String { lines.map { $0 + "\n" }.joined() }

        /// Sets a setting, or removes its line for nil.
        package mutating func set(_ setting: StoredSetting, to value: String?) {
            let index = lines.indices.first { index in
                guard case .setting(let name, _) = SettingLine(lines[index]) else { return false }
                return name == setting.name
            }
            values[setting.name] = value
            let line = value.map { "\(setting.name) = \($0)" }
            switch (index, line) {
            case (let index?, let line?): lines[index] = line
            case (let index?, nil): lines.remove(at: index)
            case (nil, let line?): lines.append(line)
            case (nil, nil): break
            }
        }

        /// The lines for a backup, without addresses: they belong to one machine, or would send the
        /// tasks elsewhere.
        package var portableText: String {
            lines.filter(Self.isPortable).map { $0 + "\n" }.joined()
        }

        /// Replaces the lines that backups contain with those of a backup.
        ///
        /// - Parameter text: The backup's lines. Unknown lines, as from a newer version, are
        ///   skipped.
        mutating func replacePortable(by text: String) {
            lines.removeAll(where: Self.isPortable)
            values = values.filter { StoredSetting.inFile($0.key)?.isPortable != true }
            for line in SettingLine.lines(of: text) {
                guard case .setting(let name, let value) = SettingLine(line),
                    let setting = StoredSetting.inFile(name), setting.isPortable,
                    let canonical = try? setting.canonical(value)
                else { continue }
                set(setting, to: canonical)
            }
        }

        private static func isPortable(_ line: String) -> Bool {
            guard case .setting(let name, _) = SettingLine(line) else { return false }
            return StoredSetting.inFile(name)?.isPortable == true
        }

        /// The file's text; nil if it is missing. Refuses a file that other users can write,
        /// because it could redirect the tasks.
        private static func read(_ path: String) throws -> String? {
            do {
                return try TrustedFile(path, limit: maximumSize).text()
            } catch let error as SystemFailure {
                if error.isMissingFile { return nil }
                throw Failure(error, settings: path)
            } catch let error as UnusableFile {
                throw Failure(
                    .refused, code: "settings_file",
                    "the settings file \(path) is not used: \(error.reason)",
                    hint: "correct it, or use the standard settings: mv "
                        + "\(ShellText.quote(path)) \(ShellText.quote(path + ".old"))")
            }
        }
    }
}

extension Failure {
    fileprivate init(_ failure: SystemFailure, settings path: String) {
        self.init(
            .failure, code: "settings_file",
            "cannot use the settings file \(path): \(failure.explanation)")
    }
}
