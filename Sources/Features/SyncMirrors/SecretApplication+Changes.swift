internal import SecretMemory
internal import SecureStorage
internal import Sync
internal import SyncStorage

extension SecretApplication {
    /// Changes descriptions whose values stay, many in one step.
    func editTogether() throws {
        var together: [Int] = []
        for (index, change) in changes.enumerated() {
            guard change.edit != nil, !change.isValueInDoubt, isPermitted(change),
                isFree(change.name, for: change)
            else { continue }
            together.append(index)
        }
        var done: Set<Int> = []
        for start in stride(from: 0, to: together.count, by: 256) {
            let part = together[start...].prefix(256)
            let edits = part.compactMap { index in
                changes[index].present.flatMap { present in
                    changes[index].edit.map {
                        SecretChange(
                            present.item.name, expecting: present.item.revision, .edit($0))
                    }
                }
            }
            // Otherwise each is made by itself.
            guard let items = try self.together(edits) else { continue }
            try mirror.store.mirrorTransaction { transaction in
                for (index, item) in zip(part, items) {
                    try finish(changes[index], item, transaction)
                }
            }
            done.formUnion(part)
        }
        changes = changes.enumerated().filter { !done.contains($0.offset) }.map(\.element)
    }

    /// Changes secrets of the vault, each by itself, as soon as its name is free.
    func change() throws {
        var left = changes.filter { $0.present != nil || $0.trash != nil }
        changes.removeAll { $0.present != nil || $0.trash != nil }
        while !left.isEmpty {
            var blocked: [Change] = []
            for start in stride(from: 0, to: left.count, by: 64) {
                try mirror.store.mirrorTransaction { transaction in
                    for change in left[start...].prefix(64) {
                        guard isFree(change.name, for: change) else {
                            blocked.append(change)
                            continue
                        }
                        try apply(change, transaction)
                    }
                }
            }
            if blocked.count == left.count { break }
            left = blocked
        }
        report.postponed.formUnion(left.filter { !isFree($0.name, for: $0) }.map(\.name))
    }

    private func isFree(_ name: SecretName, for change: Change) -> Bool {
        items[name] == nil || change.present?.item.name == name
    }

    private func apply(_ change: Change, _ transaction: any MirrorTransaction) throws {
        guard isPermitted(change), change.image.value != nil || !change.isValueInDoubt else {
            report.waiting.insert(change.name)
            return
        }
        var change = change
        if change.present == nil {
            guard try restore(&change, transaction) else { return }
            if change.present == nil { return changes.append(change) }
            if change.isChanged {
                report.postponed.insert(change.name)
                return
            }
        }
        guard let old = change.present?.item else { return }
        var item = old
        guard
            try attempt(
                change.name,
                {
                    item =
                        try change.isValueInDoubt
                        ? write(change, old, transaction)
                        : change.edit.map {
                            try mirror.secrets.edit(old.name, $0, expecting: old.revision)
                        } ?? old
                    for other in change.others {
                        try mirror.secrets.remove(
                            other.item.name, expecting: other.item.revision)
                        items[other.item.name] = nil
                        report.removed.insert(other.item.name)
                        try transaction.removeCounterpart(of: other.counterpart.object)
                    }
                })
        else { return }
        try finish(change, item, transaction)
    }

    /// Takes a secret out of the trash of the vault, if it is still there.
    ///
    /// - Returns: Whether the change can go on: with the secret, or by saving it anew.
    private func restore(
        _ change: inout Change, _ transaction: any MirrorTransaction
    ) throws -> Bool {
        guard var trash = change.trash, let last = trash.lastName else { return true }
        let all = try inTrash ?? mirror.secrets.removed()
        inTrash = all
        guard
            let removed = all.first(where: {
                $0.item.name == last && $0.item.created == trash.created
            })
        else { return true }
        var item = removed.item
        let name = change.name
        guard
            try attempt(
                name,
                {
                    item = try mirror.secrets.restore(
                        removed: removed.id, as: name == removed.item.name ? nil : name)
                })
        else { return false }
        items[name] = item
        report.changed.insert(name)
        // A change before it was removed was not captured yet.
        change.isChanged = removed.item.revision != trash.revision && !isOverwriting
        trash = Counterpart(
            trash.object, of: item,
            revision: change.isChanged ? trash.revision : item.revision)
        try transaction.place(trash)
        change.present = Present(counterpart: trash, item: item)
        return true
    }

    /// Notes that a secret is what the records say.
    private func finish(
        _ change: Change, _ item: SecretItem, _ transaction: any MirrorTransaction
    ) throws {
        if let old = change.present?.item {
            if old.revision != item.revision { report.changed.insert(item.name) }
            items[old.name] = nil
        } else {
            report.changed.insert(item.name)
        }
        items[item.name] = item
        if let trash = change.trash, trash.object != change.present?.counterpart.object {
            try transaction.removeCounterpart(of: trash.object)
        }
        try transaction.place(
            Counterpart(
                change.present?.counterpart.object ?? change.object.id, of: item,
                revision: item.revision))
        try transaction.setMirrored(change.object)
    }

    // MARK: Values

    /// Writes the values that the vault lacks, the earlier ones first, and the description.
    private func write(
        _ change: Change, _ old: SecretItem,
        _ transaction: any MirrorTransaction
    ) throws -> SecretItem {
        guard let value = change.image.value else { return old }
        var item = old
        let comparison = ValueComparison(transaction, canVerify: mirror.hasVerificationKey)
        let current = try mirror.secrets.value(of: old.name)
        let isShown = try comparison.contains(current, in: [value])
        if change.isChanged {
            guard isShown, change.edit == nil else {
                throw SecureStoreError.conflict(found: old.revision)
            }
            return old
        }
        var earlier = earlier(of: change) {
            change.lacksEarlier || change.object.unmirrored.contains($0.key)
        }
        if !earlier.isEmpty {
            if !isShown { try earlier.removeAll { try comparison.contains(current, in: [$0]) } }
            for revision in try mirror.secrets.history(of: old.name).map(\.item.revision) {
                let known = try mirror.secrets.earlierValue(of: old.name, revision: revision)
                try earlier.removeAll { try comparison.contains(known, in: [$0]) }
            }
        }
        for version in earlier {
            let secret = try transaction.secret(of: version.key)
            // A value that was protected is never written as one that is not.
            let edit = SecretEdit(
                accessClass: change.image.attributes.accessClass == .afterVerification
                    ? .afterVerification : nil, extra: extra(of: change, besides: secret))
            item = try mirror.secrets.update(
                item.name, to: secret, edit, expecting: item.revision)
        }
        let edit = change.image.edit(of: item)
        if !isShown || !earlier.isEmpty {
            return try mirror.secrets.update(
                item.name, to: transaction.secret(of: value.key), edit ?? SecretEdit(),
                expecting: item.revision)
        }
        return try edit.map {
            try mirror.secrets.edit(item.name, $0, expecting: item.revision)
        } ?? item
    }

    /// The earlier values of an object, ascending by rank, each once, as many as a vault keeps.
    private func earlier(of change: Change, _ isWanted: (Version) -> Bool) -> [Version] {
        var seen: Set<RecordContent> = []
        if let value = change.image.value { seen.insert(value.content) }
        let versions = change.object.state?.fields[.value]?.earlier.map(\.version) ?? []
        let wanted = versions.filter { version in
            isWanted(version)
                && (mirror.hasVerificationKey || version.level < .afterVerification)
                && seen.insert(version.content).inserted
        }
        return wanted.prefix(mirror.retention.values).reversed()
    }

    // MARK: New secrets

    /// Saves the secrets that the vault does not have, many in one step.
    func save() throws {
        var batch: [Change] = []
        var size = 0
        for change in changes where change.present == nil {
            guard let value = change.image.value, isPermitted(change) else {
                report.waiting.insert(change.name)
                continue
            }
            guard items[change.name] == nil else {
                report.postponed.insert(change.name)
                continue
            }
            batch.append(change)
            if case .secret(_, let count) = value.content { size += count }
            if batch.count == 256 || size > 8 << 20 {
                try save(batch)
                batch = []
                size = 0
            }
        }
        if !batch.isEmpty { try save(batch) }
    }

    private func save(_ batch: [Change]) throws {
        try mirror.store.mirrorTransaction { transaction in
            var rest = batch[...]
            var failure: (any Error)?
            var isTogether = false
            do {
                try mirror.secrets.saveEach { () throws(SecureStoreError) in
                    guard let change = rest.popFirst() else { return nil }
                    do {
                        let secret = try first(of: change, transaction)
                        let attributes = attributes(of: change, besides: secret)
                        return NewSecret(secret, as: change.name, attributes)
                    } catch {
                        failure = error
                        throw SecureStoreError(translating: error)
                    }
                }
                isTogether = true
            } catch let error as SecureStoreError {
                if let failure { throw failure }
                guard Self.concernsOneSecret(error) else { throw error }
            }
            for change in batch {
                var item: SecretItem?
                let isSaved = try attempt(change.name) {
                    if isTogether {
                        item = try mirror.secrets.describe(change.name)
                    } else {
                        let secret = try first(of: change, transaction)
                        let attributes = attributes(of: change, besides: secret)
                        item = try mirror.secrets.save(secret, as: change.name, attributes)
                    }
                    for version in values(of: change).dropFirst() {
                        let secret = try transaction.secret(of: version.key)
                        let edit = SecretEdit(extra: extra(of: change, besides: secret))
                        item = try mirror.secrets.update(
                            change.name, to: secret, edit, expecting: item?.revision)
                    }
                }
                if isSaved, let item { try finish(change, item, transaction) }
            }
        }
    }

    /// The attributes of a file beside one of its values: an earlier value has another content. Nil for other secrets, whose attributes have
    /// nothing of the value.
    private func extra(
        of change: Change, besides value: borrowing SecretBytes
    ) -> [ExtraAttribute]? {
        guard change.name.isFile, let attribute = mirror.fileAttribute(value) else { return nil }
        let all = change.image.attributes.extra
        // That of the record has the size of a picture, too.
        let present = all.first { $0.key == attribute.key }?.text ?? ""
        if present.hasSameBytes(as: attribute.text) || present.hasPrefix(attribute.text + " ") {
            return all
        }
        return (all.filter { $0.key != attribute.key } + [attribute])
            .sorted { $0.key.precedesInBytes($1.key) }
    }

    private func attributes(
        of change: Change, besides value: borrowing SecretBytes
    ) -> SecretAttributes {
        var attributes = change.image.attributes
        attributes.extra = extra(of: change, besides: value) ?? attributes.extra
        return attributes
    }

    private func values(of change: Change) -> [Version] {
        earlier(of: change) { _ in true } + (change.image.value.map { [$0] } ?? [])
    }

    private func first(
        of change: Change, _ transaction: any MirrorTransaction
    ) throws -> SecretBytes {
        guard let first = values(of: change).first else { throw SyncError.storeDamaged }
        return try transaction.secret(of: first.key)
    }
}

extension SecureStore {
    /// A copy of an earlier value.
    fileprivate func earlierValue(
        of name: SecretName, revision: UInt64
    ) throws(SecureStoreError) -> SecretBytes {
        try readEarlier(name, revision: revision) { (_, value) throws(SecureStoreError) in
            do {
                return try value.copy()
            } catch {
                throw SecureStoreError(translating: error)
            }
        }
    }
}
