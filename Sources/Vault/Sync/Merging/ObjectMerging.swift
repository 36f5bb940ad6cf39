/// The table of merging (`Docs/Sync.md`, section 7), over the records of one object.
struct ObjectMerging {
    private let rules: SyncRules
    private let fingerprint: ([UInt8]) -> [UInt8]?
    private let removes: [Version]
    private let changes: [RecordField: [Version]]
    /// Changes that a remove had seen.
    private let covered: Set<RecordKey>
    /// The stamps of versions and removes that a person looked at.
    private let looked: Set<Stamp>

    init(
        _ versions: [Version], rules: SyncRules, fingerprint: @escaping ([UInt8]) -> [UInt8]?
    ) {
        let removes = versions.filter { $0.field == .remove }
        let changes = versions.filter {
            $0.field != .remove && $0.field != .looked && $0.field.aliased == nil
        }
        self.rules = rules
        self.fingerprint = fingerprint
        self.removes = removes
        self.changes = Dictionary(grouping: changes, by: \.field)
        looked = versions.filter { $0.field == .looked }.reduce(into: []) { stamps, version in
            stamps.formUnion(version.content.bytes.flatMap { RecordContent.stamps($0) } ?? [])
        }
        covered = Set(
            changes.filter { change in
                removes.contains {
                    rules.contains(.coverage) ? $0.hasSeen(change) : $0.stamp > change.stamp
                }
            }.map(\.key))
    }

    /// The kind of the oldest record that made the object.
    var kind: UInt8? {
        changes[.create]?.min { $0.stamp < $1.stamp }?.content.bytes?.first
    }

    var isRemoved: Bool {
        changes.allSatisfy { field, versions in
            !field.isChangeByPerson || versions.allSatisfy { covered.contains($0.key) }
        }
    }

    var hasReturned: Bool {
        !isRemoved
            && removes.contains { remove in
                !looked.contains(remove.stamp)
                    && changes.contains { field, versions in
                        field.isChangeByPerson
                            && versions.contains {
                                !covered.contains($0.key) && !$0.hasSeen(remove)
                            }
                    }
            }
    }

    /// Lowering counts only if it had seen each record that says protected, and at the level *after verification* only: a thief of a locked
    /// disk can write at the level of the list, and programs of the user at that of the secrets. Of a task, protected text says so, too.
    func isProtected(_ kind: UInt8) -> Bool {
        let records = changes[.protection] ?? []
        guard rules.contains(.protection) else {
            return records.max { $0.stamp < $1.stamp }?.content.isSet ?? false
        }
        return protecting(kind).contains { version in
            !records.contains { $0.level == .afterVerification && $0.hasSeen(version) }
        }
    }

    /// The records that say that an object is protected.
    private func protecting(_ kind: UInt8) -> [Version] {
        var protecting = (changes[.protection] ?? []).filter(\.content.isSet)
        if kind == ObjectState.Kind.task {
            for (field, versions) in changes where field.isVersioned {
                protecting += versions.filter { $0.written == .afterVerification }
            }
        }
        return protecting
    }

    /// The versions that came in the open although their author had seen that the object is protected. A thief without V wrote them, or a
    /// device that was interrupted before it had protected its own copy: so they are shown, and what they replace is marked.
    private var inTheOpen: Set<RecordKey> {
        guard let kind else { return [] }
        let protecting = protecting(kind)
        if protecting.isEmpty { return [] }
        let ends = (changes[.protection] ?? []).filter { $0.level == .afterVerification }
        var found: Set<RecordKey> = []
        for (field, versions) in changes where field.isVersioned {
            for version in versions where version.written < .afterVerification {
                let known = ends.filter { version.hasSeen($0) }
                let isOpen = protecting.contains { record in
                    version.hasSeen(record) && !known.contains { $0.hasSeen(record) }
                }
                if isOpen { found.insert(version.key) }
            }
        }
        return found
    }

    // MARK: Fields

    /// Versions that no remove has seen rank first, then the newest. Joined objects can have the same stamp, from one change.
    private func ranksBelow(_ left: Version, _ right: Version) -> Bool {
        let (first, second) = (covered.contains(left.key), covered.contains(right.key))
        guard first == second else { return first }
        return (left.stamp, left.object) < (right.stamp, right.object)
    }

    var fields: [RecordField: ObjectState.FieldState] {
        let open = inTheOpen
        return changes.compactMapValues { versions in
            let ranked = versions.sorted { ranksBelow($1, $0) }
            guard let current = ranked.first else { return nil }
            let earlier = ranked.indices.dropFirst().map { index in
                ObjectState.Earlier(
                    version: ranked[index],
                    isConcurrent: !looked.contains(ranked[index].stamp)
                        && isConcurrent(ranked[index], with: ranked[..<index], open))
            }
            return ObjectState.FieldState(current: current, earlier: earlier)
        }
    }

    /// Whether a version must be looked at. `open` are those of ``inTheOpen``.
    private func isConcurrent(
        _ version: Version, with higher: ArraySlice<Version>, _ open: Set<RecordKey>
    ) -> Bool {
        (rules.contains(.everyVersion) ? higher : higher.prefix(1)).contains { other in
            (rules.contains(.heads)
                ? other.isConcurrent(with: version) || !open.isEmpty && open.contains(other.key)
                : other.origin.dot.device != version.origin.dot.device)
                && !isSame(other.content, version.content)
        }
    }

    /// Whether two contents are equal, also if one of them came in the open and the other one did not.
    private func isSame(_ left: RecordContent, _ right: RecordContent) -> Bool {
        switch (left, right) {
        case (.open(let bytes), .secret(let hidden, let size)),
            (.secret(let hidden, let size), .open(let bytes)):
            bytes.count == size && fingerprint(bytes) == hidden
        default: left == right
        }
    }

    // MARK: Tasks

    /// The completions that count: of each occurrence those that no *undone* had seen.
    var completions: [Int64: [(Completion, Stamp)]] {
        var found: [Int64: [(Completion, Stamp)]] = [:]
        for (field, versions) in changes {
            guard let occurrence = field.occurrence else { continue }
            let parsed = versions.map { ($0, $0.content.bytes.flatMap { Completion($0) }) }
            let undone = parsed.filter { $0.1 == .undone }
            let counted = parsed.compactMap { version, completion -> (Completion, Stamp)? in
                guard let completion, completion != .undone,
                    !undone.contains(where: { $0.0.hasSeen(version) })
                else { return nil }
                return (completion, version.stamp)
            }
            if !counted.isEmpty { found[occurrence] = counted }
        }
        return found
    }

    /// The due date with the highest (occurrence, edited or not, stamp) among creation, edits and completions.
    var due: DueDate? {
        var candidates = (changes[.due] ?? []).compactMap { version in
            version.content.bytes.flatMap { DueDate($0) }.map { ($0, version.stamp) }
        }
        for counted in completions.values {
            for (completion, stamp) in counted {
                guard case .done(let next, let date) = completion else { continue }
                candidates.append(
                    (DueDate(occurrence: next, isEdited: false, date: date), stamp))
            }
        }
        return candidates.max { left, right in
            guard rules.contains(.occurrences) else { return left.1 < right.1 }
            return (left.0.occurrence, left.0.isEdited ? 1 : 0, left.1)
                < (right.0.occurrence, right.0.isEdited ? 1 : 0, right.1)
        }?.0
    }

    /// Each subtask by itself, by the rules of objects inside its task.
    var subtasks: [ObjectState.Subtask] {
        var byID: [SubtaskID: [Version]] = [:]
        for (field, versions) in changes {
            if let id = field.ofSubtask { byID[id, default: []] += versions }
        }
        let kept = byID.compactMap { id, versions -> ObjectState.Subtask? in
            let removes = versions.filter { $0.field == .subtaskRemove(id) }
            let isRemoved = versions.allSatisfy { version in
                !version.field.isChangeByPerson || removes.contains { $0.hasSeen(version) }
            }
            let positions = versions.filter { $0.field == .subtaskPosition(id) }
            guard !isRemoved,
                let newest = positions.max(by: { ranksBelow($0, $1) })?.content.bytes,
                let position = Position(newest)
            else { return nil }
            return ObjectState.Subtask(id: id, position: position)
        }
        return kept.sorted { ($0.position, $0.id) < ($1.position, $1.id) }
    }
}
