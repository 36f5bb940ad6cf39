/// Header fields. Names compare without regard to ASCII case.
public struct HTTPHeaders: Sendable, Hashable {
    /// One field.
    public struct Field: Sendable, Hashable {
        /// The name as sent.
        public let name: String
        /// The value without surrounding white space.
        public let value: String

        /// Makes a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, in order.
    public private(set) var fields: [Field]

    /// Makes header fields.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// The values of all fields with this name, in order.
    public func values(_ name: String) -> [String] {
        var values: [String] = []
        for field in fields where Self.areEqual(field.name, name) { values.append(field.value) }
        return values
    }

    /// Appends a field.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name, value))
    }

    static func areEqual(_ left: String, _ right: String) -> Bool {
        // Fast path: most names have the usual case.
        left == right
            || left.utf8.count == right.utf8.count
                && left.utf8.elementsEqual(right.utf8) { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
