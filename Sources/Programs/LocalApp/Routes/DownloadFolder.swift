internal import Platform
internal import TextCoding

/// The download directory of the user's browsers (xdg-user-dirs).
struct DownloadFolder {
    let path: String

    /// Finds the directory: that of `user-dirs.dirs`, or else `~/Downloads`, or else the home
    /// directory.
    init(_ environment: EnvironmentVariables) {
        let home = environment["HOME"] ?? "/"
        let configuration = StandardFolders(environment).configuration
        let chosen = configuration.flatMap { Self.chosen($0 + "/user-dirs.dirs", home) }
        path =
            [chosen, home + "/Downloads"].compactMap { $0 }.first { FileSystem.exists($0) } ?? home
    }

    /// The directory of `user-dirs.dirs`.
    private static func chosen(_ file: String, _ home: String) -> String? {
        guard let content = FileSystem.content(file, limit: 65_536) else { return nil }
        let beginning = #"XDG_DOWNLOAD_DIR=""#
        for line in String(decoding: content, as: UTF8.self).split(separator: "\n") {
            guard line.hasPrefix(beginning), line.hasSuffix(#"""#) else { continue }
            let value = line.dropFirst(beginning.utf8.count).dropLast()
            let path = value.hasPrefix("$HOME") ? home + value.dropFirst(5) : String(value)
            return path.hasPrefix("/") ? path : nil
        }
        return nil
    }

    /// A path that does not exist yet, such as `plan (2).pdf`.
    func freePath(_ name: String) -> String {
        var name = name.substituting("/", for: "_")
        if name.hasPrefix(".") { name = "_" + name.dropFirst() }
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        var path = "\(self.path)/\(name)"
        var number = 2
        while FileSystem.exists(path) {
            path = "\(self.path)/\(name[..<dot]) (\(number))\(name[dot...])"
            number += 1
        }
        return path
    }
}
