internal import SecureStorage
internal import TextCoding
package import VaultCore

/// A request about the files in the vault (`Docs/AgentProtocol.md`, section 4). Ids are those of ``StoredFile/id``.
package enum FileRequest: Sendable, Hashable {
    /// Which files are described.
    package enum Selection: Sendable, Hashable {
        /// All, in this order.
        case all(FileOrder)
        /// The file of this name.
        case named(String)
        /// The files of a task.
        case task(String)
    }

    /// What a content is for.
    package enum Target: Sendable, Hashable {
        /// A new file.
        case new(name: String, isProtected: Bool, task: String?)
        /// An existing one, whose content becomes an earlier version.
        case replacing(id: String)
    }

    /// What is brought back.
    package enum Restored: Sendable, Hashable {
        /// An earlier version.
        case revision(UInt64)
        /// A removed file, under its own name or another one.
        case removed(as: String?)
    }

    case list(Selection)
    /// The earlier versions of a file, or with nil the removed files.
    case earlier(of: String?)
    case begin(Target)
    /// The secret is the next part of the content.
    case append
    case finish
    case read(id: String, revision: UInt64?)
    /// Asks for the next chunk.
    case next
    case edit(id: String, FileEdit)
    case remove(id: String, permanently: Bool)
    case restore(id: String, Restored)
    case settings
    /// Changes nothing unless the stored settings are the first ones.
    case changeSettings(from: FileSettings, to: FileSettings)

    /// Whether a text can be the id of a file.
    static func isID(_ text: String) -> Bool { Hexadecimal.isText(text, ofBytes: 16) }

    var type: AgentProtocol.RequestType {
        switch self {
        case .list: .listFiles
        case .earlier: .earlierFiles
        case .begin: .beginFile
        case .append: .appendToFile
        case .finish: .finishFile
        case .read: .readFile
        case .next: .nextChunk
        case .edit: .editFile
        case .remove: .removeFile
        case .restore: .restoreFile
        case .settings: .fileSettings
        case .changeSettings: .changeFileSettings
        }
    }
}

// The encoding.
extension FileRequest {
    func write(to writer: inout ByteWriter) {
        switch self {
        case .append, .finish, .next, .settings: break
        case .list(let selection): writer.selection(selection)
        case .earlier(let id):
            writer.flag(id != nil)
            if let id { writer.fileID(id) }
        case .begin(.new(let name, let isProtected, let task)):
            writer.integer(UInt8(1))
            writer.text(name)
            writer.flag(isProtected)
            writer.optional(task)
        case .begin(.replacing(let id)):
            writer.integer(UInt8(2))
            writer.fileID(id)
        case .read(let id, let revision):
            writer.fileID(id)
            writer.expected(revision)
        case .edit(let id, let edit):
            writer.fileID(id)
            writer.optional(edit.name)
            writer.flag(edit.isProtected != nil)
            if let isProtected = edit.isProtected { writer.flag(isProtected) }
            writer.flag(edit.task != nil)
            if let task = edit.task { writer.optional(task) }
        case .remove(let id, let isPermanent):
            writer.fileID(id)
            writer.flag(isPermanent)
        case .restore(let id, .revision(let revision)):
            writer.fileID(id)
            writer.integer(UInt8(1))
            writer.integer(revision)
        case .restore(let id, .removed(let name)):
            writer.fileID(id)
            writer.integer(UInt8(2))
            writer.optional(name)
        case .changeSettings(let known, let new):
            writer.fileSettings(known)
            writer.fileSettings(new)
        }
    }

    static func read(
        _ type: AgentProtocol.RequestType, from reader: inout ByteReader
    ) -> FileRequest? {
        switch type {
        case .listFiles: return reader.selection().map { .list($0) }
        case .earlierFiles:
            guard let isOfOne = reader.flag() else { return nil }
            return isOfOne ? reader.fileID().map { .earlier(of: $0) } : .earlier(of: nil)
        case .beginFile: return reader.target().map { .begin($0) }
        case .appendToFile: return .append
        case .finishFile: return .finish
        case .nextChunk: return .next
        case .fileSettings: return .settings
        case .changeFileSettings:
            guard let known = reader.fileSettings(), let new = reader.fileSettings() else {
                return nil
            }
            return .changeSettings(from: known, to: new)
        default: break
        }
        guard let id = reader.fileID() else { return nil }
        switch type {
        case .readFile: return reader.expected().map { .read(id: id, revision: $0) }
        case .editFile: return reader.fileEdit().map { .edit(id: id, $0) }
        case .removeFile: return reader.flag().map { .remove(id: id, permanently: $0) }
        case .restoreFile: return reader.restored().map { .restore(id: id, $0) }
        default: return nil
        }
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

    fileprivate mutating func selection(_ selection: FileRequest.Selection) {
        switch selection {
        case .all(let order):
            integer(UInt8(1))
            integer(order.number)
        case .named(let name):
            integer(UInt8(2))
            text(name)
        case .task(let task):
            integer(UInt8(3))
            text(task)
        }
    }

    mutating func fileSettings(_ settings: FileSettings) {
        integer(settings.order.number)
        flag(settings.showsSizes)
    }

    mutating func file(_ file: StoredFile) {
        fileID(file.id)
        text(file.name)
        flag(file.isProtected)
        integer(file.size)
        text(file.mediaType)
        flag(file.pixels != nil)
        if let pixels = file.pixels {
            integer(pixels.width)
            integer(pixels.height)
        }
        optional(file.task)
        integer(file.added)
        integer(file.modified)
        integer(file.revision)
    }

    mutating func earlierFile(_ file: EarlierFile) {
        self.file(file.file)
        integer(file.moved)
    }
}

extension ByteReader {
    fileprivate mutating func fileID() -> String? { raw(16).map(Hexadecimal.text) }

    /// A part that may be left out; the outer nil means invalid bytes.
    private mutating func optional<Part>(_ read: (inout ByteReader) -> Part?) -> Part?? {
        switch flag() {
        case .some(false): .some(nil)
        case .some(true): read(&self).map { .some($0) }
        case nil: nil
        }
    }

    fileprivate mutating func optionalText() -> String?? { optional { $0.text() } }

    private mutating func order() -> FileOrder? {
        guard let number = integer(UInt8.self) else { return nil }
        return FileOrder.allCases.first { $0.number == number }
    }

    fileprivate mutating func selection() -> FileRequest.Selection? {
        switch integer(UInt8.self) {
        case 1: order().map { .all($0) }
        case 2: text().map { .named($0) }
        case 3: text().map { .task($0) }
        default: nil
        }
    }

    fileprivate mutating func target() -> FileRequest.Target? {
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

    fileprivate mutating func restored() -> FileRequest.Restored? {
        switch integer(UInt8.self) {
        case 1: integer(UInt64.self).map { .revision($0) }
        case 2: optionalText().map { .removed(as: $0) }
        default: nil
        }
    }

    fileprivate mutating func fileEdit() -> FileEdit? {
        guard let name = optionalText(), let isProtected = optional({ $0.flag() }),
            let task = optional({ $0.optionalText() })
        else { return nil }
        return FileEdit(name: name, isProtected: isProtected, task: task)
    }

    mutating func fileSettings() -> FileSettings? {
        guard let order = order(), let showsSizes = flag() else { return nil }
        return FileSettings(order: order, showsSizes: showsSizes)
    }

    mutating func file() -> StoredFile? {
        guard let id = fileID(), let name = text(), let isProtected = flag(),
            let size = integer(UInt64.self), let mediaType = text(), let hasPixels = flag()
        else { return nil }
        var pixels: PixelSize?
        if hasPixels {
            guard let width = integer(UInt32.self), let height = integer(UInt32.self) else {
                return nil
            }
            pixels = PixelSize(width: width, height: height)
        }
        guard let task = optionalText(), let added = integer(Int64.self),
            let modified = integer(Int64.self), let revision = integer(UInt64.self)
        else { return nil }
        return StoredFile(
            id: id, name: name, isProtected: isProtected, size: size, mediaType: mediaType,
            pixels: pixels, task: task, added: added, modified: modified, revision: revision)
    }

    mutating func earlierFile() -> EarlierFile? {
        guard let file = file(), let moved = integer(Int64.self) else { return nil }
        return EarlierFile(file: file, moved: moved)
    }
}

extension FileOrder {
    /// The number in messages.
    fileprivate var number: UInt8 {
        switch self {
        case .name: 1
        case .nameReversed: 2
        case .size: 3
        case .added: 4
        }
    }
}
