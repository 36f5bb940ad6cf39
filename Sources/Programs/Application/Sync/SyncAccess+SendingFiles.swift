internal import Platform
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import SyncMirrors
internal import TextCoding
internal import VaultCore

/// The parts of contents that a remote has.
struct FilesAtRemote {
    private(set) var parts: [[UInt8]: Set<Int>] = [:]

    /// Nothing.
    init() {}

    /// Lists them.
    init(_ remote: any GroupRemote) throws(RemoteFailure) {
        for name in try remote.names(in: .files).compactMap({ FilePartName($0) }) {
            parts[name.version, default: []].insert(name.number)
        }
    }

    /// The numbers of the parts of a content that the remote lacks.
    func missing(of content: FileContent) -> [Int] {
        (0..<content.partCount).filter { parts[content.version]?.contains($0) != true }
    }
}

// Contents of files, as rounds put and drop them (`Docs/Sync.md`, section 8).
extension SyncAccess {
    /// How long a round puts contents. The next one goes on, so that changes need not wait for a large file.
    private static let slice: Duration = .seconds(5)
    /// The room that stays for changes, in bytes.
    private static let reserve: UInt64 = 4_194_304

    /// Puts the contents that the remote lacks, the smallest first, and keeps back the entries of files whose content is not whole there.
    ///
    /// A content that does not fit, or a remote that cannot take more, is named in the report, and does not end the round.
    ///
    /// - Parameters:
    ///   - items: What the vault has.
    ///   - session: The round.
    ///   - mirror: The mirror of the secrets.
    ///   - round: The report.
    /// - Returns: What the remote had before.
    /// - Throws: `RemoteFailure`, the errors of vault and store.
    func sendFiles(
        among items: [SecretItem], _ session: SyncSession, _ mirror: SecretMirror,
        _ round: inout SyncRound
    ) throws -> FilesAtRemote {
        let files = files(among: items)
        let known = try mirror.knownContents()
        // Most homes have no files: their rounds ask no more than without.
        if files.isEmpty, known.isEmpty { return FilesAtRemote() }
        let remote = session.groupRemote
        let present = try FilesAtRemote(remote)
        if files.isEmpty { return present }
        let recorded = try recordedContents(mirror)
        let all = known.union(recorded).union(files.map(\.content.version))
        if all != known { try mirror.setKnownContents(all) }
        let lacking = files.map { file in
            LackingFile(
                name: file.name, content: file.content, missing: present.missing(of: file.content),
                isAnnounced: recorded.contains(file.content.version))
        }.filter { !$0.missing.isEmpty }
        var whole: Set<SecretName> = []
        try vault.withStorage(.reading) { storage in
            let parts = SealedFileParts(storage)
            let here = try lacking.filter { try parts.has($0.content) }
            do {
                whole = try put(here, parts, remote, session, &round)
            } catch let error as RemoteFailure {
                let failure = errors.failure(error)
                round.problems.append(
                    SyncProblem(
                        failure.code, isFault: error.kind != .unreachable, failure.message,
                        hint: failure.hint, exitCode: failure.exitCode))
            }
        }
        mirror.waitingFiles = Set(
            lacking.filter { !$0.isAnnounced }.map(\.name)
        ).subtracting(whole)
        return present
    }

    /// Keeps back the entries of files whose content no record names yet, without asking the remote. A round puts these contents first.
    ///
    /// - Returns: Whether there are any.
    func keepBackFiles(among items: [SecretItem], _ mirror: SecretMirror) throws -> Bool {
        let files = files(among: items)
        if files.isEmpty { return false }
        let recorded = try recordedContents(mirror)
        mirror.waitingFiles = Set(
            files.filter { !recorded.contains($0.content.version) }.map(\.name))
        return !mirror.waitingFiles.isEmpty
    }

    /// The versions of the contents that records name.
    private func recordedContents(_ mirror: SecretMirror) throws -> Set<[UInt8]> {
        Set(
            try mirror.fileTexts(FileContent.attribute).compactMap {
                FileContent(attribute: $0)?.version
            })
    }

    /// A file of which the remote lacks parts.
    private struct LackingFile {
        let name: SecretName
        let content: FileContent
        let missing: [Int]
        /// Whether a record names the content.
        let isAnnounced: Bool

        /// The size of the missing parts, and of all parts, in bytes.
        var size: UInt64 { size(of: missing) }
        var wholeSize: UInt64 { size(of: Array(0..<content.partCount)) }

        private func size(of parts: [Int]) -> UInt64 {
            parts.reduce(0) { $0 + UInt64(SealedFileParts.size(ofPart: $1, of: content)) }
        }
    }

    /// Puts contents, as far as the time lasts and there is room.
    ///
    /// - Returns: The files whose content is whole at the remote now.
    private func put(
        _ files: [LackingFile], _ parts: SealedFileParts, _ remote: any GroupRemote,
        _ session: SyncSession, _ round: inout SyncRound
    ) throws -> Set<SecretName> {
        let end = MonotonicTime.now + Self.slice
        var whole: Set<SecretName> = []
        var unfit: (count: Int, size: UInt64) = (0, 0)
        for file in files {
            guard round.partsLeft == 0 else {
                round.partsLeft += file.missing.count
                continue
            }
            if let room = try session.connection.room(), room < file.size + Self.reserve {
                // The room went while it was being put: what is there of it gives way to changes.
                if !file.isAnnounced { try delete(file, remote) }
                unfit.count += 1
                unfit.size += file.isAnnounced ? file.size : file.wholeSize
                continue
            }
            let sending = SendingParts(file.missing, of: file.content, from: parts, until: end)
            switch try sending.put(
                over: remote, session.connection.furtherMembers(of: session.device.group))
            {
            case .whole: whole.insert(file.name)
            case .interrupted(let left): round.partsLeft = left
            // `doctor` names it.
            case .damaged: break
            }
        }
        if unfit.count > 0 { round.problems.append(problem(unfit, session)) }
        return whole
    }

    /// Deletes the parts of a content that was put in part.
    private func delete(_ file: LackingFile, _ remote: any GroupRemote) throws {
        for number in Set(0..<file.content.partCount).subtracting(file.missing) {
            try remote.delete(FilePartName(file.content.version, number).text, in: .files)
        }
    }

    private func problem(
        _ unfit: (count: Int, size: UInt64), _ session: SyncSession
    ) -> SyncProblem {
        SyncProblem(
            SyncProblem.filesTooLarge, isFault: true,
            "no room at the remote for \(counted(unfit.count, "file")) (\(byteText(unfit.size))), kept on this machine only",
            hint: session.device.folder == nil
                ? "the server's operator can raise its sync-quota"
                : "make room on the disk of the folder", exitCode: .refused)
    }

    /// Deletes the contents that no record names any more: the removal of their file is settled, or the file was never sent.
    ///
    /// - Parameters:
    ///   - session: The round.
    ///   - mirror: The mirror of the secrets.
    ///   - present: What the remote had at the beginning of the round.
    /// - Throws: `RemoteFailure`, the errors of vault and store.
    func dropFiles(
        _ session: SyncSession, _ mirror: SecretMirror, _ present: FilesAtRemote
    ) throws {
        let known = try mirror.knownContents()
        if known.isEmpty { return }
        let live = Set(
            files(among: try session.store?.secrets.list() ?? []).map(\.content.version))
        func unnamed(_ versions: Set<[UInt8]>, _ texts: Set<String>) -> Set<[UInt8]> {
            versions.subtracting(texts.compactMap { FileContent(attribute: $0)?.version })
        }
        var gone = unnamed(known.subtracting(live), try mirror.fileTexts(FileContent.attribute))
        // Seldom: then all objects are searched, also those that are not in the vault now.
        if gone.isEmpty { return }
        guard let texts = try mirror.allTexts(FileContent.attribute) else { return }
        gone = unnamed(gone, texts)
        for version in gone {
            for number in present.parts[version] ?? [] {
                try session.groupRemote.delete(FilePartName(version, number).text, in: .files)
            }
        }
        try mirror.setKnownContents(known.subtracting(gone))
    }

    /// The files among items of the vault whose content is named, the smallest first.
    private func files(
        among items: [SecretItem]
    ) -> [(name: SecretName, content: FileContent)] {
        items.compactMap { item in FileContent(item).map { (item.name, $0) } }
            .sorted { ($0.content.size, $0.name) < ($1.content.size, $1.name) }
    }
}
