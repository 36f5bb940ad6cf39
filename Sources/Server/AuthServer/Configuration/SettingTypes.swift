internal import CommandLine
internal import HTTPServer
internal import TextCoding

extension AnySetting {
    /// The environment variable that sets it.
    var variable: String {
        SettingSources.prefix
            + String(name.map { $0 == "-" ? "_" : Character($0.uppercased()) })
    }

    /// The effect, the valid values and the default.
    var fullHelp: String {
        var text = help
        if let range { text += ": \(range)" }
        if let standard = otherwise ?? standard, form.placeholder != nil {
            text += " (default: \(standard))"
        }
        return text
    }

    /// The option that sets it.
    var option: OptionDescription {
        guard let placeholder = form.placeholder else { return OptionDescription(name, fullHelp) }
        return OptionDescription(
            name, placeholder == "FILE" ? .file(placeholder) : .text(placeholder), fullHelp)
    }
}

extension SettingType where Value == String {
    /// The path of a file.
    static let file = SettingType(.text("FILE"), "the path of a file") { text in
        text.isEmpty || text.utf8.contains(0) ? nil : text
    }
}

extension SettingType where Value == ListenAddress {
    /// A numeric address with a port.
    static let listenAddress = SettingType(
        .text("ADDRESS:PORT"), "a numeric address and a port, such as 127.0.0.1:8420 or [::1]:8420"
    ) { ListenAddress($0) }
}

extension SettingType where Value == [AddressNetwork] {
    /// Addresses and networks.
    static let networks = SettingType(
        .text("ADDRESSES"), "addresses and networks, such as 127.0.0.1, 10.0.0.0/8"
    ) { text in
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let networks = parts.compactMap { part in
            let words = part.split(separator: " ")
            return words.count == 1 ? AddressNetwork(String(words[0])) : nil
        }
        return networks.count == parts.count ? networks : nil
    }
}

extension SettingType where Value == IssuerURL {
    /// The URL of a server.
    static let url = SettingType(
        .text("URL"), "an https URL without path, such as https://auth.example.org"
    ) { IssuerURL($0) }
}

extension SettingType where Value == AccountDatabasePlace {
    /// A file or a PostgreSQL server.
    static let database = SettingType(
        .text("DATABASE"), "the path of a file, or an address such as postgresql://host/name",
        violation: AccountDatabasePlace.violation
    ) { try? AccountDatabasePlace($0) }
}
