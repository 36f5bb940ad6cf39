package import SecureStorage

/// One segment of one device: the dot of its records (dotted version vectors, Preguiça et al., 2010).
package struct Dot: Hashable, Comparable, Sendable {
    package let device: DeviceID
    /// The number of the segment, from 1 on.
    package let number: UInt64

    package init(_ device: DeviceID, _ number: UInt64) {
        self.device = device
        self.number = number
    }

    package static func < (left: Dot, right: Dot) -> Bool {
        left.device == right.device ? left.number < right.number : left.device < right.device
    }
}

/// For each device, the number of its newest segment that was seen. Zero stands for none.
package struct VersionVector: Hashable, Sendable {
    /// The maximum number of devices, removed ones included.
    package static let limit = 256

    package private(set) var numbers: [DeviceID: UInt64] = [:]

    package init() {}

    package subscript(device: DeviceID) -> UInt64 {
        get { numbers[device] ?? 0 }
        set { numbers[device] = newValue == 0 ? nil : newValue }
    }

    /// Whether the vector reaches a segment.
    package func reaches(_ dot: Dot) -> Bool { dot.number <= self[dot.device] }

    /// Whether the vector reaches all that another one does.
    package func reaches(_ other: VersionVector) -> Bool {
        other.numbers.allSatisfy { reaches(Dot($0, $1)) }
    }
}

extension ByteReader {
    /// Reads a value that takes all of the bytes; nil for any other input.
    package static func whole<Value>(
        _ bytes: [UInt8], _ read: (inout ByteReader) -> Value?
    ) -> Value? {
        reading(bytes) { reader in read(&reader).flatMap { reader.isAtEnd ? $0 : nil } }
    }

    /// Reads a number of elements; nil unless their keys ascend, and if there are too many.
    package mutating func list<Element, Key: Comparable>(
        atMost limit: Int = .max, by key: (Element) -> Key,
        _ read: (inout ByteReader) -> Element?
    ) -> [Element]? {
        guard let count = integer(UInt32.self), count <= limit else { return nil }
        var elements: [Element] = []
        for _ in 0..<count {
            guard let element = read(&self), elements.last.map({ key($0) < key(element) }) ?? true
            else { return nil }
            elements.append(element)
        }
        return elements
    }
}

extension ByteWriter {
    package mutating func dot(_ dot: Dot) {
        id(dot.device)
        integer(dot.number)
    }

    package mutating func vector(_ vector: VersionVector) {
        integer(UInt32(vector.numbers.count))
        for (device, number) in vector.numbers.sorted(by: { $0.key < $1.key }) {
            dot(Dot(device, number))
        }
    }
}

extension ByteReader {
    /// Reads a dot; nil for the number 0.
    package mutating func dot() -> Dot? {
        guard let device = id(of: SyncSubject.Device.self), let number = integer(UInt64.self),
            number > 0
        else { return nil }
        return Dot(device, number)
    }

    /// Reads a vector; nil unless its devices ascend.
    package mutating func vector() -> VersionVector? {
        guard let count = integer(UInt32.self), count <= VersionVector.limit else { return nil }
        var vector = VersionVector()
        var last: DeviceID?
        for _ in 0..<Int(count) {
            guard let dot = dot() else { return nil }
            if let last, !(last < dot.device) { return nil }
            vector[dot.device] = dot.number
            last = dot.device
        }
        return vector
    }
}
