internal import SecureStorage
internal import Sync
internal import SyncStorage

/// The items of the vault, compared with the counterparts of objects: by name and time of creation, without reading a secret.
struct SecretDifferences {
    /// An item, and the counterpart of its object; nil for a new item.
    struct Pair {
        let item: SecretItem
        var counterpart: Counterpart?
    }

    /// Items under the name of their counterpart.
    private(set) var found: [Pair] = []
    /// Items under another name than that of their counterpart.
    private(set) var renamed: [Pair] = []
    /// Items whose counterpart is in the trash.
    private(set) var restored: [Pair] = []
    private(set) var new: [Pair] = []
    /// Counterparts whose item is not in the vault.
    private(set) var vanished: [Counterpart] = []

    init(_ items: [SecretItem], _ counterparts: [Counterpart]) {
        var live: [SecretName: Counterpart] = [:]
        var trash: [Counterpart] = []
        for counterpart in counterparts {
            switch counterpart.place {
            case .live(let name): live[name] = counterpart
            case .trash: trash.append(counterpart)
            case .moving, nil: vanished.append(counterpart)
            }
        }
        var left: [SecretItem] = []
        for item in items {
            if let counterpart = live[item.name], counterpart.created == item.created {
                found.append(Pair(item: item, counterpart: counterpart))
                live[item.name] = nil
            } else {
                left.append(item)
            }
        }
        vanished += live.values
        vanished.sort { $0.object < $1.object }
        if left.isEmpty { return }
        let exact = Self.pair(&left, &trash) { Identity(created: $0, name: $1) }
        // A program can make several items at one time, such as the fields of one entry.
        renamed = Self.pair(&left, &vanished) { Identity(created: $0, field: $1?.field) }
        renamed += Self.pair(&left, &vanished) { created, _ in Identity(created: created) }
        restored = exact + Self.pair(&left, &trash) { created, _ in Identity(created: created) }
        new = left.map { Pair(item: $0, counterpart: nil) }
    }

    private struct Identity: Hashable {
        let created: Int64
        var name: SecretName?
        var field: String?
    }

    /// Takes the pairs of an item and a counterpart that alone have an identity.
    private static func pair(
        _ items: inout [SecretItem], _ counterparts: inout [Counterpart],
        by identity: (Int64, SecretName?) -> Identity
    ) -> [Pair] {
        if items.isEmpty || counterparts.isEmpty { return [] }
        let candidates = Dictionary(grouping: counterparts) {
            identity($0.created, $0.lastName)
        }
        let wanted = Dictionary(grouping: items) { identity($0.created, $0.name) }
        var pairs: [Pair] = []
        for item in items {
            let identity = identity(item.created, item.name)
            if wanted[identity]?.count == 1, let found = candidates[identity], found.count == 1 {
                pairs.append(Pair(item: item, counterpart: found[0]))
            }
        }
        let names = Set(pairs.map(\.item.name))
        let objects = Set(pairs.compactMap(\.counterpart?.object))
        items.removeAll { names.contains($0.name) }
        counterparts.removeAll { objects.contains($0.object) }
        return pairs
    }
}

extension Counterpart {
    /// The name in the vault, or the last one before the trash.
    var lastName: SecretName? {
        switch place {
        case .live(let name): name
        case .trash(_, let name): name
        case .moving, nil: nil
        }
    }
}
