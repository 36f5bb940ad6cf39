internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// The entries of a directory of `pass`, decrypted by `gpg` into guarded memory.
///
/// As in `pass`, names that start with a dot and files other than `*.gpg` are not entries. Symbolic
/// links are not followed.
struct PasswordStore: ~Copyable {
    /// An entry.
    struct Entry: Sendable {
        /// The path in the directory, without `.gpg`.
        let path: String
        /// The content, or the reason why it is missing.
        let content: Content

        /// The result of the decryption.
        enum Content: Sendable {
            case text(Range<Int>)
            case skipped(SkipReason)
        }

        var isNotDecrypted: Bool {
            if case .skipped(.notDecrypted) = content { true } else { false }
        }
    }

    private static let suffix = ".gpg"
    /// The size of a read, and the minimum free memory before a read.
    private static let pieceSize = 65_536
    /// The maximum content of an entry: a value of 1 MiB and additional lines.
    private static let maximumEntrySize = 4 * SecretLimits.maximumValueSize
    /// The time limit of `gpg` after its output has ended.
    private static let exitTimeout = Duration.seconds(10)

    /// The entries, sorted by path.
    private(set) var entries: [Entry] = []
    private let folder: String
    private let program: [String]
    private var bytes: SecretBytes
    private var used = 0

    private init(_ folder: String, by program: [String], _ bytes: consuming SecretBytes) {
        self.folder = folder
        self.program = program
        self.bytes = bytes
    }

    /// Decrypts all entries.
    ///
    /// - Parameters:
    ///   - folder: The path of the directory, without symbolic links.
    ///   - mayAsk: Whether `gpg` may ask for the key's passphrase.
    /// - Returns: The entries. Some may be skipped.
    /// - Throws: ``ExchangeError``, `SecretMemoryError`, or `SystemFailure`.
    static func decrypt(_ folder: String, mayAsk: Bool) throws -> PasswordStore {
        guard let gpg = Executable.path(of: "gpg") else {
            throw ExchangeError.notInstalled("gpg")
        }
        var program = [gpg, "--batch", "--quiet"]
        if !mayAsk { program += ["--pinentry-mode", "error"] }
        // Standard input is the file, so `gpg` cannot find the terminal there.
        if mayAsk, let name = unsafe ttyname(Descriptor.standardInput) {
            program += ["--ttyname", unsafe String(cString: name)]
        }
        var store = PasswordStore(
            folder, by: program + ["--decrypt"], try SecretBytes(count: 16 * pieceSize))
        for path in try paths(in: folder) {
            let entry = try store.decrypt(path)
            store.entries.append(entry)
        }
        guard !store.entries.isEmpty else { throw ExchangeError.emptyStore }
        guard !store.entries.allSatisfy(\.isNotDecrypted) else {
            throw ExchangeError.notDecrypted
        }
        return store
    }

    /// The content of all entries.
    consuming func content() -> SecretBytes {
        bytes.keep(count: used)
        return bytes
    }

    /// The paths of all entries, sorted.
    private static func paths(in folder: String) throws -> [String] {
        var paths: [String] = []
        var folders = [""]
        while let inner = folders.popLast() {
            for name in try FileSystem.names(in: folder + "/" + inner)
            where name.utf8.first != UInt8(ascii: ".") {
                let path = inner + name
                let status = try FileStatus.of(path: folder + "/" + path)
                if status?.isFolder == true {
                    folders.append(path + "/")
                } else if status?.isSymbolicLink == true || name.hasSuffix(suffix) {
                    paths.append(path)
                }
            }
        }
        return paths.sorted()
    }

    private mutating func decrypt(_ path: String) throws -> Entry {
        let isEntry = path.hasSuffix(Self.suffix)
        let name = isEntry ? String(path.dropLast(Self.suffix.count)) : path
        func skipped(_ reason: SkipReason) -> Entry {
            Entry(path: name, content: .skipped(reason))
        }
        let (inner, file) = SafeFolder.split(path)
        let descriptor: FileDescriptor
        do {
            let place = try FileDescriptor(folder: folder + "/" + inner)
            descriptor = try FileDescriptor(file, in: place, flags: O_RDONLY)
        } catch let failure as SystemFailure {
            return skipped(failure.code == ELOOP ? .symbolicLink : .unreadable)
        }
        guard try FileStatus.of(descriptor).isRegularFile else { return skipped(.unreadable) }
        let start = used
        let output = try SystemPipe()
        let process = try ChildProcess.start(
            program, input: descriptor.number, output: output.writer)
        output.closeWriter()
        do {
            while used - start <= Self.maximumEntrySize {
                try makeRoom()
                let offset = used
                let count = try bytes.withMutableBytes { bytes in
                    try Descriptor.read(from: output.reader, into: &bytes, at: offset)
                }
                if count == 0 { break }
                used += count
            }
        } catch {
            output.closeReader()
            process.wait(atMost: .zero)
            throw error
        }
        output.closeReader()
        let size = used - start
        guard size <= Self.maximumEntrySize else {
            process.wait(atMost: .zero)
            used = start
            return skipped(.refused(.tooLarge(maximum: SecretLimits.maximumValueSize)))
        }
        guard process.wait(atMost: Self.exitTimeout) == .exit(0) else {
            used = start
            return skipped(.notDecrypted)
        }
        return Entry(path: name, content: .text(start..<used))
    }

    private mutating func makeRoom() throws {
        guard used <= SecretImport.maximumFileSize else {
            throw ExchangeError.tooLarge(maximum: SecretImport.maximumFileSize)
        }
        guard bytes.count - used < Self.pieceSize else { return }
        var larger = try SecretBytes(count: bytes.count * 2)
        larger.withMutableBytes { target in
            bytes.withBytes { target.copy($0.extracting(0..<used)) }
        }
        bytes = larger
    }
}

/// The reader of texts in `pass`: the password, then lines such as `login: ada`, `url: …` and
/// `otpauth://…`.
///
/// The path names the entry: `Work/mail.example/ada` is the service `mail.example`, the account
/// `ada` and the tag `Work`. A path of one part is the service, and the account is the user name of
/// the text.
///
/// In the MIME form of gopass, the password is a header and the text after the empty line is the notes.
///
/// Other lines `name: value` become fields, and the rest becomes the field `notes`. A PEM key stays
/// whole. It is the password if the text starts with it.
enum PasswordStoreText {
    private static let accounts: Set<String> = ["user", "username", "login"]
    private static let addresses: Set<String> = ["url", "website", "site"]
    private static let seeds: Set<String> = ["otp", "totp"]
    /// The maximum size of a field name, in bytes.
    private static let maximumNameSize = 32

    static func read(
        _ entries: [PasswordStore.Entry], in bytes: RawSpan, _ mode: ImportMode,
        _ receive: SecretReceiver
    ) throws -> ImportRun {
        var run = ImportRun(.passwordStore, mode)
        for (index, entry) in entries.enumerated() {
            switch entry.content {
            case .skipped(let reason): run.skip(index + 1, reason, entry.path)
            case .text(let range):
                var record = ImportedRecord(line: index + 1)
                record.title = entry.path
                let parts = entry.path.split(separator: "/").map { String($0) }
                record.service = parts.count > 1 ? parts[parts.count - 2] : entry.path
                if parts.count > 1 { record.account = parts[parts.count - 1] }
                record.addTag(parts.dropLast(2).joined(separator: "/"))
                if isText(bytes.extracting(range)) {
                    try read(range, in: bytes, into: &record)
                } else {
                    // The content is not lines of text, for example a binary key. It stays whole.
                    record.password = ImportedValue(.plain(range))
                }
                try record.deliver(in: bytes, &run, receive)
            }
        }
        return run
    }

    /// Whether the bytes are lines of text, in UTF-8 or another encoding: no control characters
    /// except tabs and line ends.
    private static func isText(_ bytes: RawSpan) -> Bool {
        bytes.isUTF8
            || (0..<bytes.byteCount).allSatisfy { place in
                let byte = bytes[place]
                return byte >= 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
            }
    }

    private static func read(
        _ range: Range<Int>, in bytes: RawSpan, into record: inout ImportedRecord
    ) throws {
        var start = range.lowerBound
        var notes: [Range<Int>] = []
        // If one key has no end, no later one has.
        var mayHaveKeys = true
        let body = try readHeaders(range, in: bytes, into: &record)
        if let body { start = body }
        while start < range.upperBound {
            var end = lineEnd(from: start, to: range.upperBound, in: bytes)
            var line = start..<end
            if end > start, bytes[end - 1] == Byte.carriageReturn { line = start..<(end - 1) }
            var key: Int?
            if mayHaveKeys, bytes.hasText("-----BEGIN ", at: start) {
                key = keyEnd(from: start, to: range.upperBound, in: bytes)
                mayHaveKeys = key != nil
            }
            if body == nil, let key, start == range.lowerBound {
                // The value keeps the last line end, because programs expect it.
                record.password = ImportedValue(.plain(start..<min(key + 1, range.upperBound)))
                end = key
            } else if let key {
                notes.append(start..<key)
                end = key
            } else if bytes.hasText("otpauth://", at: start) {
                record.add("totp", ImportedValue(.plain(line)))
            } else if body == nil, start == range.lowerBound {
                record.password = ImportedValue(.plain(line))
            } else if try body != nil || !readMember(line, in: bytes, into: &record),
                !line.isEmpty || !notes.isEmpty
            {
                notes.append(line)
            }
            start = end + 1
        }
        while notes.last?.isEmpty == true { notes.removeLast() }
        var value = ImportedValue()
        for line in notes {
            if !value.pieces.isEmpty { value.pieces.append(.literal("\n")) }
            value.pieces.append(.plain(line))
        }
        record.add("notes", value)
    }

    /// Reads the headers of gopass's MIME form.
    ///
    /// - Returns: The start of the body; nil for another form.
    private static func readHeaders(
        _ range: Range<Int>, in bytes: RawSpan, into record: inout ImportedRecord
    ) throws -> Int? {
        func nextLine(from start: Int) -> (line: Range<Int>, next: Int) {
            let end = lineEnd(from: start, to: range.upperBound, in: bytes)
            var last = end
            while last > start, isBlank(bytes[last - 1]) { last -= 1 }
            return (start..<last, min(end + 1, range.upperBound))
        }
        let first = nextLine(from: range.lowerBound)
        guard bytes.hasText("GOPASS-SECRET-1.0", at: first.line.lowerBound), first.line.count == 17
        else { return nil }
        var start = first.next
        while start < range.upperBound {
            let (line, next) = nextLine(from: start)
            start = next
            if line.isEmpty { break }
            let isPassword = zip(0..., "password:".utf8).allSatisfy { place, letter in
                place < line.count && bytes[line.lowerBound + place] | 0x20 == letter | 0x20
            }
            if isPassword, record.password.isEmpty {
                var value = (line.lowerBound + 9)..<line.upperBound
                while let place = value.first, isBlank(bytes[place]) { value.removeFirst() }
                record.password = ImportedValue(.plain(value))
            } else if bytes[line.upperBound - 1] != Byte.colon,
                try !readMember(line, in: bytes, into: &record)
            {
                record.addOwn("header", ImportedValue(.plain(line)))
            }
        }
        return start
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == 0x09 || byte == Byte.carriageReturn
    }

    /// The end of the line, before its line feed.
    private static func lineEnd(from start: Int, to last: Int, in bytes: RawSpan) -> Int {
        var end = start
        while end < last, bytes[end] != Byte.lineFeed { end += 1 }
        return end
    }

    /// The end of the PEM key (RFC 7468) that starts on this line; nil without one.
    private static func keyEnd(from start: Int, to last: Int, in bytes: RawSpan) -> Int? {
        var line = start
        while line < last {
            let end = lineEnd(from: line, to: last, in: bytes)
            if bytes.hasText("-----END ", at: line) { return end }
            line = end + 1
        }
        return nil
    }

    /// Reads a line `name: value`.
    ///
    /// - Returns: `false` for any other line.
    private static func readMember(
        _ line: Range<Int>, in bytes: RawSpan, into record: inout ImportedRecord
    ) throws -> Bool {
        let longest = min(line.upperBound, line.lowerBound + maximumNameSize + 1)
        guard
            let colon = (line.lowerBound..<longest).first(where: { bytes[$0] == Byte.colon }),
            let name = bytes.extracting(line.lowerBound..<colon).text(), !name.isEmpty,
            !name.contains(where: \.isWhitespace)
        else { return false }
        var start = colon + 1
        while start < line.upperBound, isBlank(bytes[start]) { start += 1 }
        let isSeparated = start > colon + 1
        let value = ImportedValue(.plain(start..<line.upperBound))
        guard !value.isEmpty else { return false }
        switch name.lowercased() {
        case let key where accounts.contains(key):
            guard record.account.isEmpty, let text = try value.text(in: bytes) else {
                record.add("username", value)
                return true
            }
            record.account = text
        case let key where addresses.contains(key):
            if try !record.addAddress(value, in: bytes) { record.add(ExtraAttribute.url, value) }
        case let key where seeds.contains(key): record.add("totp", value)
        default:
            // The colon of a URL or a time is not a separator.
            guard isSeparated else { return false }
            record.addOwn(name, value)
        }
        return true
    }
}
