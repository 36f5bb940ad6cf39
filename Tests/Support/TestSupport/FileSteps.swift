package import VaultCore

/// Contents for tests of files, and functions to write and read them.
package enum TestFiles {
    /// Sizes around the ends of chunks and of a transaction of them.
    package static let sizes = [0, 1, 65_535, 65_536, 65_537, 131_072, 1_114_112, 1_114_113]

    /// Bytes that no other seed and no other place repeats.
    package static func content(_ seed: Int, size: Int) -> [UInt8] {
        // Byte n is 31 n + 7 (n / 256) + n / 65,536 + seed. All blocks of 256 bytes are one row, from different places on: 31 times 223 is 1.
        let row = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size + 256)
        var block = 0
        while bytes.count < size {
            let start = (block &* 7 &+ (block >> 8) &+ seed) &* 223 & 255
            bytes += row[start..<(start + 256)]
            block += 1
        }
        bytes.removeLast(bytes.count - size)
        return bytes
    }

    /// Writes a content in pieces of some size, and finishes.
    @discardableResult
    package static func write(
        _ content: [UInt8], to writer: FileWriter, pieces: Int = 50_000
    ) throws -> StoredFile {
        var offset = 0
        while offset < content.count {
            let end = min(offset + pieces, content.count)
            try writer.write(unsafe content.span.extracting(offset..<end).bytes)
            offset = end
        }
        return try writer.finish()
    }

    /// Adds a file.
    @discardableResult
    package static func add(
        _ content: [UInt8], as name: String, to vault: UnlockedVault, isProtected: Bool = false
    ) throws -> StoredFile {
        try write(content, to: VaultFiles(vault).add(name, isProtected: isProtected))
    }

    /// Reads a file to its end.
    package static func content(
        of id: String, _ revision: UInt64? = nil, in vault: UnlockedVault
    ) throws -> [UInt8] {
        let reader = try VaultFiles(vault).read(id, revision: revision)
        var content: [UInt8] = []
        while let piece = try reader.next({ bytes in
            unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        }) {
            content += piece
        }
        return content
    }

    /// All files and their contents, by name.
    package static func contents(of vault: UnlockedVault) throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for file in try VaultFiles(vault).list() {
            contents[file.name] = try content(of: file.id, in: vault)
        }
        return contents
    }
}

/// An endless list of changes to the files of a vault, and the expected files after the first steps.
///
/// Step 4n adds file n, step 4n + 1 replaces it, step 4n + 2 renames it, and step 4n + 3 removes it, permanently if n is odd.
package enum FileSteps {
    /// Runs one step.
    package static func run(_ step: Int, on vault: UnlockedVault) throws {
        let files = VaultFiles(vault)
        let name = "file \(step / 4)"
        switch step % 4 {
        case 0: try TestFiles.add(content(step), as: name, to: vault)
        case 1: try TestFiles.write(content(step), to: files.replace(files.file(named: name).id))
        case 2: try files.edit(files.file(named: name).id, FileEdit(name: "renamed " + name))
        default:
            try files.remove(
                files.file(named: "renamed " + name).id,
                permanently: !(step / 4).isMultiple(of: 2))
        }
    }

    /// The files and their contents after the first `count` steps.
    package static func model(after count: Int) -> [String: [UInt8]] {
        // At most the last file is there.
        guard count % 4 != 0 else { return [:] }
        let name = "file \((count - 1) / 4)"
        switch count % 4 {
        case 1: return [name: content(count - 1)]
        case 2: return [name: content(count - 1)]
        default: return ["renamed " + name: content(count - 2)]
        }
    }

    private static func content(_ step: Int) -> [UInt8] {
        TestFiles.content(step, size: TestFiles.sizes[(step / 4 + step) % TestFiles.sizes.count])
    }
}
