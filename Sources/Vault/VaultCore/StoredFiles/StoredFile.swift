internal import SecureStorage
internal import TextCoding

/// A file of the vault, without its content. Visible while the vault is unlocked.
public struct StoredFile: Sendable, Hashable {
    /// The id, 32 hexadecimal digits. It stays when the file is renamed, gets new content, is removed or restored.
    public let id: String
    /// The name, unique among the files.
    public let name: String
    /// Whether the content is readable only after verification.
    public let isProtected: Bool
    /// The size of the content, in bytes.
    public let size: UInt64
    /// The media type, detected from the first bytes of the content.
    public let mediaType: String
    /// The size of a picture; nil for other content.
    public let pixels: PixelSize?
    /// The id of the task of the file; nil if it has none.
    public let task: String?
    /// The time of its addition, in milliseconds since 1970-01-01 UTC. Informational only, like ``modified``.
    public let added: Int64
    /// The time of its last change.
    public let modified: Int64
    /// The number of writes of its item.
    public let revision: UInt64

    /// Creates the description of an item; nil if the item is not a file.
    init?(_ item: SecretItem) {
        guard item.name.isFile else { return nil }
        let content = FileDescription(item.attributes.extra)
        id = item.name.account
        name = item.attributes.label
        isProtected = item.attributes.accessClass == .afterVerification
        size = content?.size ?? 0
        mediaType = content?.mediaType ?? FileDescription.unknownType
        pixels = content?.pixels
        task =
            item.attributes.extra.first { $0.key.hasSameBytes(as: FileDescription.taskKey) }?.text
        added = item.created
        modified = item.modified
        revision = item.revision
    }

    /// Creates a description from a decoded message, as the agent sends it.
    package init(
        id: String, name: String, isProtected: Bool, size: UInt64, mediaType: String,
        pixels: PixelSize?, task: String?, added: Int64, modified: Int64, revision: UInt64
    ) {
        self.id = id
        self.name = name
        self.isProtected = isProtected
        self.size = size
        self.mediaType = mediaType
        self.pixels = pixels
        self.task = task
        self.added = added
        self.modified = modified
        self.revision = revision
    }
}

/// An earlier version of a file, or a removed file.
public struct EarlierFile: Sendable, Hashable {
    /// The file at that time; its ``StoredFile/revision`` names the version.
    public let file: StoredFile
    /// The time of its replacement or removal, in milliseconds since 1970-01-01 UTC.
    public let moved: Int64

    /// Creates a description.
    package init(file: StoredFile, moved: Int64) {
        self.file = file
        self.moved = moved
    }
}

/// The size of a picture.
public struct PixelSize: Sendable, Hashable {
    /// Pixels from left to right.
    public let width: UInt32
    /// Pixels from top to bottom.
    public let height: UInt32

    /// Creates a size.
    public init(width: UInt32, height: UInt32) {
        self.width = width
        self.height = height
    }
}

/// A change to the description of a file; nil leaves a field unchanged.
public struct FileEdit: Sendable, Hashable {
    /// The new name.
    public var name: String?
    /// Whether the file is protected.
    public var isProtected: Bool?
    /// The id of the task of the file; `.some(nil)` detaches the file.
    public var task: String??

    /// Creates a change.
    public init(name: String? = nil, isProtected: Bool? = nil, task: String?? = nil) {
        self.name = name
        self.isProtected = isProtected
        self.task = task
    }
}

/// The order of a list of files.
public enum FileOrder: String, Sendable, Hashable, CaseIterable {
    /// By name, case-insensitively; numbers in names are compared by value.
    case name
    /// By name, descending.
    case nameReversed = "-name"
    /// The largest file first.
    case size
    /// The newest file first.
    case added

    /// Sorts files in this order.
    func sorted(_ files: [StoredFile]) -> [StoredFile] {
        let keys = FileNameKeys(files)
        return files.indices.sorted { left, right in
            switch self {
            case .name: break
            case .nameReversed: return keys.precedes(right, left)
            case .size where files[left].size != files[right].size:
                return files[left].size > files[right].size
            case .added where files[left].added != files[right].added:
                return files[left].added > files[right].added
            case .size, .added: break
            }
            return keys.precedes(left, right)
        }.map { files[$0] }
    }
}

/// The owner's settings for lists of files.
public struct FileSettings: Sendable, Hashable {
    /// The order of a list.
    public var order: FileOrder
    /// Whether a list shows sizes.
    public var showsSizes: Bool

    /// Creates settings.
    public init(order: FileOrder = .name, showsSizes: Bool = true) {
        self.order = order
        self.showsSizes = showsSizes
    }
}

/// The sort keys of file names: case-folded; a number becomes the digit 0, the count of its digits, and the digits.
private struct FileNameKeys {
    private let files: [StoredFile]
    /// The keys, concatenated.
    private var bytes: [UInt8] = []
    /// The end of each key in ``bytes``.
    private var ends: [Int] = []
    /// The first eight bytes of each key, which decide most comparisons.
    private var beginnings: [UInt64] = []

    init(_ files: [StoredFile]) {
        self.files = files
        bytes.reserveCapacity(32 * files.count)
        ends.reserveCapacity(files.count)
        beginnings.reserveCapacity(files.count)
        for file in files {
            let start = bytes.count
            add(NameKey(file.name).bytes)
            ends.append(bytes.count)
            beginnings.append(
                (0..<8).reduce(0) {
                    $0 << 8 | (start + $1 < bytes.count ? UInt64(bytes[start + $1]) : 0)
                })
        }
    }

    private mutating func add(_ name: [UInt8]) {
        var index = 0
        while index < name.count {
            guard Self.isDigit(name[index]) else {
                bytes.append(name[index])
                index += 1
                continue
            }
            while index < name.count, name[index] == UInt8(ascii: "0") { index += 1 }
            let start = index
            while index < name.count, Self.isDigit(name[index]) { index += 1 }
            bytes.append(UInt8(ascii: "0"))
            bytes.append(UInt8(clamping: index - start))
            bytes += name[start..<index]
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Whether the name of one file precedes that of another.
    func precedes(_ left: Int, _ right: Int) -> Bool {
        if beginnings[left] != beginnings[right] { return beginnings[left] < beginnings[right] }
        var (first, second) = (start(left), start(right))
        while first < ends[left], second < ends[right] {
            if bytes[first] != bytes[second] { return bytes[first] < bytes[second] }
            first += 1
            second += 1
        }
        if first < ends[left] || second < ends[right] { return second < ends[right] }
        // Names that differ in case or leading zeros only.
        return files[left].name.precedesInBytes(files[right].name)
    }

    private func start(_ key: Int) -> Int { key == 0 ? 0 : ends[key - 1] }
}
