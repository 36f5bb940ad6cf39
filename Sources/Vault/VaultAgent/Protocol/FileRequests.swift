internal import SecureStorage
internal import TextCoding
package import VaultCore

// Requests about the files in the vault (`Docs/AgentProtocol.md`, section 4); see the functions of `VaultFiles`. Ids are those of `StoredFile`.

/// The files that a list describes.
enum FileSelection: Sendable, Hashable {
    /// All files, in this order.
    case all(FileOrder)
    /// The file of this name.
    case named(String)
    /// The files of a task.
    case task(String)
}

/// The destination of a content.
package enum FileTarget: Sendable, Hashable {
    /// A new file.
    case new(name: String, isProtected: Bool, task: String?)
    /// An existing file, whose current content becomes an earlier version.
    case replacing(id: String)
}

/// The version to restore.
enum FileVersion: Sendable, Hashable {
    /// An earlier version.
    case revision(UInt64)
    /// A removed file, under its old name or another one.
    case removed(as: String?)
}

/// Describes files.
struct ListFilesRequest: AgentRequest {
    static let messageType: UInt8 = 0x40
    typealias Part = ListPage<StoredFile>
    typealias Answer = DoneAnswer

    let selection: FileSelection
}

extension ListFilesRequest {
    init?(from reader: inout ByteReader) {
        guard let selection = reader.selection() else { return nil }
        self.init(selection: selection)
    }

    func write(to writer: inout ByteWriter) { writer.selection(selection) }
}

/// Describes the earlier versions of a file, or removed files.
struct EarlierFilesRequest: AgentRequest {
    static let messageType: UInt8 = 0x41
    typealias Part = ListPage<EarlierFile>
    typealias Answer = DoneAnswer

    /// The file; nil for the removed files.
    let id: String?
}

extension EarlierFilesRequest {
    init?(from reader: inout ByteReader) {
        guard let id = reader.optional({ $0.fileID() }) else { return nil }
        self.init(id: id)
    }

    func write(to writer: inout ByteWriter) {
        writer.flag(id != nil)
        if let id { writer.fileID(id) }
    }
}

/// Begins to write a content.
struct BeginFileRequest: AgentRequest {
    static let messageType: UInt8 = 0x42
    static let isSlow = true
    typealias Answer = DoneAnswer

    let target: FileTarget
}

extension BeginFileRequest {
    init?(from reader: inout ByteReader) {
        guard let target = reader.target() else { return nil }
        self.init(target: target)
    }

    func write(to writer: inout ByteWriter) {
        switch target {
        case .new(let name, let isProtected, let task):
            writer.integer(UInt8(1))
            writer.text(name)
            writer.flag(isProtected)
            writer.optional(task)
        case .replacing(let id):
            writer.integer(UInt8(2))
            writer.fileID(id)
        }
    }
}

/// Writes the next part of the content, which is the secret.
struct AppendToFileRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x43
    static let carriesSecret = true
    static let isSlow = true
    typealias Answer = DoneAnswer
}

/// Ends the content.
struct FinishFileRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x44
    static let isSlow = true
    typealias Answer = StoredFile
}

/// Begins to read a content.
struct ReadFileRequest: AgentRequest {
    static let messageType: UInt8 = 0x45
    static let isSlow = true
    typealias Answer = StoredFile

    let id: String
    /// The revision of an earlier version.
    let revision: UInt64?
}

extension ReadFileRequest {
    init?(from reader: inout ByteReader) {
        guard let id = reader.fileID(), let revision = reader.expected() else { return nil }
        self.init(id: id, revision: revision)
    }

    func write(to writer: inout ByteWriter) {
        writer.fileID(id)
        writer.expected(revision)
    }
}

/// Reads the next chunk of the content. The answer is the chunk, or ``DoneAnswer`` after the last
/// chunk.
struct NextChunkRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x46
    typealias Answer = ChunkAnswer
}

/// Changes the description of a file.
struct EditFileRequest: AgentRequest {
    static let messageType: UInt8 = 0x47
    typealias Answer = StoredFile

    let id: String
    let edit: FileEdit
}

extension EditFileRequest {
    init?(from reader: inout ByteReader) {
        guard let id = reader.fileID(), let name = reader.optionalText(),
            let isProtected = reader.optional({ $0.flag() }),
            let task = reader.optional({ $0.optionalText() })
        else { return nil }
        self.init(id: id, edit: FileEdit(name: name, isProtected: isProtected, task: task))
    }

    func write(to writer: inout ByteWriter) {
        writer.fileID(id)
        writer.optional(edit.name)
        writer.flag(edit.isProtected != nil)
        if let isProtected = edit.isProtected { writer.flag(isProtected) }
        writer.flag(edit.task != nil)
        if let task = edit.task { writer.optional(task) }
    }
}

/// Removes a file.
struct RemoveFileRequest: AgentRequest {
    static let messageType: UInt8 = 0x48
    static let isSlow = true
    typealias Answer = DoneAnswer

    let id: String
    let isPermanent: Bool
}

extension RemoveFileRequest {
    init?(from reader: inout ByteReader) {
        guard let id = reader.fileID(), let isPermanent = reader.flag() else { return nil }
        self.init(id: id, isPermanent: isPermanent)
    }

    func write(to writer: inout ByteWriter) {
        writer.fileID(id)
        writer.flag(isPermanent)
    }
}

/// Restores an earlier version or a removed file.
struct RestoreFileRequest: AgentRequest {
    static let messageType: UInt8 = 0x49
    static let isSlow = true
    typealias Answer = StoredFile

    let id: String
    let version: FileVersion
}

extension RestoreFileRequest {
    init?(from reader: inout ByteReader) {
        guard let id = reader.fileID(), let version = reader.fileVersion() else { return nil }
        self.init(id: id, version: version)
    }

    func write(to writer: inout ByteWriter) {
        writer.fileID(id)
        switch version {
        case .revision(let revision):
            writer.integer(UInt8(1))
            writer.integer(revision)
        case .removed(let name):
            writer.integer(UInt8(2))
            writer.optional(name)
        }
    }
}

/// Asks for the settings of the vault's files.
struct FileSettingsRequest: AgentRequest, EmptyMessage {
    static let messageType: UInt8 = 0x4A
    typealias Answer = FileSettings
}

/// Changes the settings of the vault's files. The request is refused if the stored settings are not those that the client knows.
struct ChangeFileSettingsRequest: AgentRequest {
    static let messageType: UInt8 = 0x4B
    typealias Answer = FileSettings

    /// The settings as the client last read them.
    let known: FileSettings
    /// The settings after the change.
    let new: FileSettings
}

extension ChangeFileSettingsRequest {
    init?(from reader: inout ByteReader) {
        guard let known = FileSettings(from: &reader), let new = FileSettings(from: &reader)
        else { return nil }
        self.init(known: known, new: new)
    }

    func write(to writer: inout ByteWriter) {
        known.write(to: &writer)
        new.write(to: &writer)
    }
}

// Answers about files (section 5).

extension StoredFile: AgentMessage, ListPageElement {
    static var messageType: UInt8 { 0x8D }
    static var pageType: UInt8 { 0x8E }

    init?(from reader: inout ByteReader) {
        guard let id = reader.fileID(), let name = reader.text(), let isProtected = reader.flag(),
            let size = reader.integer(UInt64.self), let mediaType = reader.text(),
            let pixels = reader.optional({ $0.pixels() }), let task = reader.optionalText(),
            let added = reader.integer(Int64.self), let modified = reader.integer(Int64.self),
            let revision = reader.integer(UInt64.self)
        else { return nil }
        self.init(
            id: id, name: name, isProtected: isProtected, size: size, mediaType: mediaType,
            pixels: pixels, task: task, added: added, modified: modified, revision: revision)
    }

    func write(to writer: inout ByteWriter) {
        writer.fileID(id)
        writer.text(name)
        writer.flag(isProtected)
        writer.integer(size)
        writer.text(mediaType)
        writer.flag(pixels != nil)
        if let pixels {
            writer.integer(pixels.width)
            writer.integer(pixels.height)
        }
        writer.optional(task)
        writer.integer(added)
        writer.integer(modified)
        writer.integer(revision)
    }
}

extension EarlierFile: ListPageElement {
    static var pageType: UInt8 { 0x8F }

    init?(from reader: inout ByteReader) {
        guard let file = StoredFile(from: &reader), let moved = reader.integer(Int64.self) else {
            return nil
        }
        self.init(file: file, moved: moved)
    }

    func write(to writer: inout ByteWriter) {
        file.write(to: &writer)
        writer.integer(moved)
    }
}

/// A chunk of a content, which is the secret.
struct ChunkAnswer: EmptyMessage {
    static let messageType: UInt8 = 0x90
    static let carriesSecret = true
}

extension FileSettings: AgentMessage {
    static var messageType: UInt8 { 0x91 }

    init?(from reader: inout ByteReader) {
        guard let order = reader.order(), let showsSizes = reader.flag() else { return nil }
        self.init(order: order, showsSizes: showsSizes)
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(order.wireNumber)
        writer.flag(showsSizes)
    }
}

extension ByteWriter {
    /// A file's id, which has 32 hexadecimal digits.
    fileprivate mutating func fileID(_ id: String) {
        guard let bytes = Hexadecimal.bytes(id), bytes.count == 16 else {
            preconditionFailure("a file has another id")
        }
        raw(bytes)
    }

    fileprivate mutating func optional(_ text: String?) {
        flag(text != nil)
        if let text { self.text(text) }
    }

    fileprivate mutating func selection(_ selection: FileSelection) {
        switch selection {
        case .all(let order):
            integer(UInt8(1))
            integer(order.wireNumber)
        case .named(let name):
            integer(UInt8(2))
            text(name)
        case .task(let task):
            integer(UInt8(3))
            text(task)
        }
    }
}

extension ByteReader {
    fileprivate mutating func fileID() -> String? { raw(16).map(Hexadecimal.text) }

    fileprivate mutating func optionalText() -> String?? { optional { $0.text() } }

    fileprivate mutating func order() -> FileOrder? {
        guard let number = integer(UInt8.self) else { return nil }
        return FileOrder.allCases.first { $0.wireNumber == number }
    }

    fileprivate mutating func selection() -> FileSelection? {
        switch integer(UInt8.self) {
        case 1: order().map { .all($0) }
        case 2: text().map { .named($0) }
        case 3: text().map { .task($0) }
        default: nil
        }
    }

    fileprivate mutating func target() -> FileTarget? {
        switch integer(UInt8.self) {
        case 1:
            guard let name = text(), let isProtected = flag(), let task = optionalText() else {
                return nil
            }
            return .new(name: name, isProtected: isProtected, task: task)
        case 2: return fileID().map { .replacing(id: $0) }
        default: return nil
        }
    }

    fileprivate mutating func fileVersion() -> FileVersion? {
        switch integer(UInt8.self) {
        case 1: integer(UInt64.self).map { .revision($0) }
        case 2: optionalText().map { .removed(as: $0) }
        default: nil
        }
    }

    fileprivate mutating func pixels() -> PixelSize? {
        guard let width = integer(UInt32.self), let height = integer(UInt32.self) else {
            return nil
        }
        return PixelSize(width: width, height: height)
    }
}

extension FileOrder {
    /// The number in messages.
    fileprivate var wireNumber: UInt8 {
        switch self {
        case .name: 1
        case .nameReversed: 2
        case .size: 3
        case .added: 4
        }
    }
}
