public import SecureStorage

/// The values of all settings in the sealed state.
public struct VaultSettings: Sendable, Hashable {
    /// The settings of a new vault.
    public static let standard = VaultSettings()

    /// The values other than those of a new vault, by the number of their setting.
    private var values: [UInt8: UInt32] = [:]

    /// Creates the settings of a new vault.
    public init() {}

    /// The value of a setting.
    public subscript(setting: VaultSetting) -> UInt32 {
        get { values[setting.number] ?? setting.standard }
        set { values[setting.number] = newValue == setting.standard ? nil : newValue }
    }

    /// Whether a setting with the values yes and no is yes.
    public func isOn(_ setting: VaultSetting) -> Bool { self[setting] != 0 }

    /// Whether these settings permit anything that `other` does not, or erase what it keeps.
    func isWider(than other: VaultSettings) -> Bool {
        VaultSetting.all.contains { setting in
            switch setting.relaxation {
            case .higher: self[setting] > other[setting]
            case .lower: self[setting] < other[setting]
            case nil: false
            }
        }
    }

    /// Whether every value is in the range of its setting.
    public var areAcceptable: Bool {
        VaultSetting.all.allSatisfy { $0.range.contains(self[$0]) }
    }

    /// How long earlier versions of secrets stay.
    public var retention: EarlierRetention {
        EarlierRetention(
            values: Int(self[.earlierValues]), days: Int(self[.earlierDays]),
            removedDays: Int(self[.removedDays]))
    }
}

// The encoding in the state and in the agent's protocol: the values other than those of a new vault, in the order of their numbers.
extension VaultSettings {
    /// The encoded size of one value, in bytes.
    static let valueSize = 5

    /// Decodes settings; nil for an unknown number, a value out of range or another encoding.
    package init?(from reader: inout ByteReader) {
        guard let count = reader.integer(UInt8.self) else { return nil }
        var last: UInt8 = 0
        for _ in 0..<count {
            guard let number = reader.integer(UInt8.self), number > last,
                let setting = VaultSetting(number: number),
                let value = reader.integer(UInt32.self), value != setting.standard,
                setting.range.contains(value)
            else { return nil }
            values[number] = value
            last = number
        }
    }

    /// Encodes the settings.
    package func write(to writer: inout ByteWriter) {
        writer.integer(UInt8(values.count))
        for (number, value) in values.sorted(by: { $0.key < $1.key }) {
            writer.integer(number)
            writer.integer(value)
        }
    }
}
