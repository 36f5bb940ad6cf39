internal import Platform
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import TextCoding
package import VaultCore
internal import VaultAgent

// Contents of files that other machines added: fetched when a file is opened.
extension SyncAccess {
    /// The ids of files whose content is not on this machine. Empty if this home does not sync.
    package func filesElsewhere(_ store: OpenStore) throws -> Set<String> {
        guard isEnabled else { return [] }
        let items = try store.secrets.list().filter(\.name.isFile)
        if items.isEmpty { return [] }
        return try vault.withStorage(.reading) { storage in
            let parts = SealedFileParts(storage)
            return try Set(
                items.compactMap { item in
                    guard let content = FileContent(item), try !parts.has(content) else {
                        return nil
                    }
                    return item.name.account
                })
        }
    }

    /// Brings the content of a file to this machine, if it is not here yet, and verifies it.
    ///
    /// An interrupted fetch goes on where it was. A part at the remote that does not belong to the content is deleted there,
    /// so that a device with the content puts it again.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - revision: An earlier version; nil for the present one.
    ///   - store: The vault; verified, if the file is protected.
    ///   - progress: Gets the number of bytes of each piece that was fetched.
    /// - Throws: A failure, if the remote does not have the content or cannot be reached; the errors of the vault.
    package func fetch(
        _ file: StoredFile, revision: UInt64?, _ store: OpenStore, progress: (Int) -> Void
    ) throws {
        guard isEnabled, let content = try content(of: file, revision, store) else { return }
        try vault.withStorage(.changing) { storage in
            let parts = SealedFileParts(storage)
            let mark = try FetchingMark(content, at: place)
            if try parts.has(content), !mark.isSet { return }
            try mark.set()
            let device = try device()
            let connection = connection(of: device, try place, store)
            let remote = connection.members(of: device.group, device.id)
            do {
                try fetch(content, of: file, remote, connection.remote, parts, progress)
            } catch let failure as RemoteFailure {
                let reason = errors.failure(failure)
                throw Failure(
                    reason.exitCode, code: "file_elsewhere",
                    "the content of \(file.typed) is not on this machine yet: \(reason.message)",
                    hint: errors.command("file get") + " fetches it as soon as that works")
            }
            try verify(content, of: file, revision, store, remote, connection.remote, parts)
            try mark.clear()
        }
    }

    /// Fetches the parts, the last one first: with the first one the whole content is here.
    private func fetch(
        _ content: FileContent, of file: StoredFile, _ remote: any GroupRemote, _ place: String,
        _ parts: SealedFileParts, _ progress: (Int) -> Void
    ) throws {
        var isPresent = true
        for number in (0..<content.partCount).reversed() {
            // Parts were stored in this order.
            if isPresent {
                isPresent = try parts.has(number, of: content)
                if isPresent { continue }
            }
            let name = FilePartName(content.version, number).text
            guard let part = try remote.get(name, in: .files) else {
                if try remote.names(in: .files).contains(name) {
                    throw damaged(file, number, remote, place, content)
                }
                throw Failure(
                    .notFound, code: "file_elsewhere",
                    "the content of \(file.typed) is not on this machine, and not whole at \(place)",
                    hint: "run \(errors.command("sync now")) on a machine that has it")
            }
            guard part.count == SealedFileParts.size(ofPart: number, of: content) else {
                throw damaged(file, number, remote, place, content)
            }
            try parts.put(part, number: number, of: content, at: now().milliseconds)
            progress(part.count)
        }
    }

    /// Reads the content once, which authenticates it.
    private func verify(
        _ content: FileContent, of file: StoredFile, _ revision: UInt64?, _ store: OpenStore,
        _ remote: any GroupRemote, _ place: String, _ parts: SealedFileParts
    ) throws {
        var size = 0
        do {
            try store.files.read(file.id, revision: revision) { _, bytes in
                size += bytes.byteCount
            }
        } catch {
            switch error {
            case VaultError.damaged(.chunkSeal), AgentError.vault(.damaged(.chunkSeal)):
                try parts.remove(content)
                throw damaged(
                    file, size / (VaultFiles.chunkSize * SealedFileParts.chunksOfPart), remote,
                    place, content)
            default: throw error
            }
        }
    }

    private func damaged(
        _ file: StoredFile, _ number: Int, _ remote: any GroupRemote, _ place: String,
        _ content: FileContent
    ) -> Failure {
        try? remote.delete(FilePartName(content.version, number).text, in: .files)
        return Failure(
            .damaged, code: "file_damaged_at_remote",
            "part \(number + 1) of \(file.typed) at \(place) is damaged, and was not taken",
            hint: "\(errors.command("sync now")) on a machine that has the file puts it again")
    }

    private func content(
        of file: StoredFile, _ revision: UInt64?, _ store: OpenStore
    ) throws -> FileContent? {
        let name = try SecretName(service: SecretName.fileService, account: file.id)
        guard let revision, revision != file.revision else {
            return FileContent(try store.secrets.describe(name))
        }
        return try store.secrets.history(of: name).first { $0.item.revision == revision }
            .flatMap { FileContent($0.item) }
    }
}

/// The mark of a content that was fetched, perhaps in part, and not verified yet: a file in the state folder.
private struct FetchingMark {
    private let folder: String
    private let path: String

    init(_ content: FileContent, at place: SyncPlace) {
        folder = place.fetching
        path = folder + "/" + Hexadecimal.text(content.version)
    }

    var isSet: Bool { FileSystem.exists(path) }

    func set() throws {
        try SafeFolder.create(folder)
        if !isSet { try FileSystem.replace(path, with: "") }
    }

    func clear() throws { try FileSystem.remove(path) }
}
