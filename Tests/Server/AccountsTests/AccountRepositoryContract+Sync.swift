import Accounts
import Testing
import TextCoding

/// Blobs of sync, by numbers.
enum SyncSamples {
    struct Blob: Equatable {
        let place: BlobPlace
        let content: [UInt8]
    }

    static func place(
        _ name: String, _ area: BlobArea = .chain(InboxSamples.id(2)), group: Int = 1
    ) -> BlobPlace {
        guard let place = BlobPlace(InboxSamples.id(group), area, name) else {
            preconditionFailure("this is a name")
        }
        return place
    }

    /// 40 segments of account 1, more than a page of a copy, with token, group and usage.
    static func fill(_ writer: AccountTransaction) throws {
        let account = AccountSamples.accountID(1)
        for number in 1...40 {
            try writer.insertBlob(content(number), account, place(String(number)))
        }
        try writer.setSyncUsage(SyncUsage(chains: 9, others: 8), of: account)
        try writer.setSyncChange(7, of: InboxSamples.id(1), account)
        try writer.setSyncToken(
            TokenHash(of: "sync 1"), of: account, for: AccountSamples.sessionID(1),
            at: AccountSamples.time(5))
    }

    static func content(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: 1_000 * number)
    }

    /// The blobs that ``fill(_:)`` made, as far as it is there.
    static func blobs(_ reader: AccountTransaction) throws -> [Blob] {
        let account = AccountSamples.accountID(1)
        let group = InboxSamples.id(1)
        guard try reader.syncAccount(TokenHash(of: "sync 1")) == account,
            try reader.syncUsage(of: account) == SyncUsage(chains: 9, others: 8),
            try reader.syncGroups(of: account) == [group],
            try reader.syncChange(of: group, account) == 7
        else { return [] }
        return try reader.blobNames(
            account, group, .chain(InboxSamples.id(2)), after: "", limit: 999
        ).map { Blob(place: place($0), content: try reader.blob(account, place($0)) ?? []) }
    }
}

extension AccountRepositoryContract {
    static let syncRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("keeps the bytes of a blob, and none in place of others") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let (first, second) = (AccountSamples.accountID(1), AccountSamples.accountID(2))
            let bytes = (0..<1_114_112).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let place = SyncSamples.place("1")
            try repository.change { writer in
                try writer.insertBlob(bytes, first, place)
                try writer.insertBlob([], first, SyncSamples.place("1", .members))
                try writer.insertBlob([7], second, place)
            }
            #expect(throws: AccountError.alreadyExists) {
                try repository.change { try $0.insertBlob([8], first, place) }
            }
            let other = try subject.openAgain()
            try other.read { (reader) throws in
                #expect(try reader.blob(first, place) == bytes)
                #expect(try reader.blobSize(first, place) == bytes.count)
                #expect(try reader.blob(first, SyncSamples.place("1", .members)) == [])
                #expect(try reader.blob(second, place) == [7])
                // Another group, another area, another name.
                #expect(try reader.blob(first, SyncSamples.place("1", group: 2)) == nil)
                #expect(try reader.blob(first, SyncSamples.place("1", .mailbox)) == nil)
                #expect(try reader.blobSize(first, SyncSamples.place("2")) == nil)
            }
            try other.change { try $0.removeBlob(first, place) }
            #expect(try repository.read { try $0.blob(first, place) } == nil)
            #expect(try repository.read { try $0.blob(second, place) } == [7])
            subject.close(other)
        },
        AccountRepositoryContract("lists the names of an area in the order of their bytes") {
            subject in
            let repository = subject.repository
            try repository.fill(1)
            let account = AccountSamples.accountID(1)
            try repository.change { writer in
                for name in ["9", "10", "a-b", "a", "z0", "1"] {
                    try writer.insertBlob([1], account, SyncSamples.place(name))
                }
                try writer.insertBlob([1], account, SyncSamples.place("m", .members))
                try writer.insertBlob([1], account, SyncSamples.place("g", group: 2))
            }
            func names(after name: String, _ limit: Int = 99) throws -> [String] {
                try repository.read {
                    try $0.blobNames(
                        account, InboxSamples.id(1), .chain(InboxSamples.id(2)), after: name,
                        limit: limit)
                }
            }
            #expect(try names(after: "") == ["1", "10", "9", "a", "a-b", "z0"])
            #expect(try names(after: "10", 2) == ["9", "a"])
            #expect(try names(after: "z0") == [])
        },
        AccountRepositoryContract("lists the names of all areas by the bytes of area and name") {
            subject in
            let repository = subject.repository
            try repository.fill(1)
            let account = AccountSamples.accountID(1)
            let chain = InboxSamples.id(2).text
            try repository.change { writer in
                for name in ["9", "10"] {
                    try writer.insertBlob([1], account, SyncSamples.place(name))
                    try writer.insertBlob([1], account, SyncSamples.place(name, .members))
                    try writer.insertBlob([1], account, SyncSamples.place(name, .files))
                }
                try writer.insertBlob([1], account, SyncSamples.place("g", group: 2))
            }
            func names(
                after area: String, _ name: String, before end: String = "~", _ limit: Int = 99
            ) throws -> [String] {
                try repository.read {
                    try $0.blobPlaces(
                        account, InboxSamples.id(1), after: (area, name), before: end, limit: limit)
                }.map { $0.area + "/" + $0.name }
            }
            #expect(try names(after: "", "", before: "files") == [chain + "/10", chain + "/9"])
            #expect(try names(after: chain, "10", before: "files") == [chain + "/9"])
            #expect(try names(after: "files", "~") == ["members/10", "members/9"])
            #expect(try names(after: chain, "9", 2) == ["files/10", "files/9"])
        },
        AccountRepositoryContract("finds the account of a token of sync, one for each device") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let tokens = (0..<3).map { TokenHash(of: "sync \($0)") }
            func set(_ token: Int, _ account: Int, _ session: Int) throws {
                try repository.change {
                    try $0.setSyncToken(
                        tokens[token], of: AccountSamples.accountID(account),
                        for: AccountSamples.sessionID(session), at: AccountSamples.time(1))
                }
            }
            func accounts() throws -> [AccountID?] {
                try repository.read { reader in try tokens.map { try reader.syncAccount($0) } }
            }
            try set(0, 1, 1)
            try set(1, 2, 2)
            let ids = [1, 2].map { AccountSamples.accountID($0) }
            #expect(try accounts() == [ids[0], ids[1], nil])
            try set(2, 1, 1)
            #expect(try accounts() == [nil, ids[1], ids[0]])
            try repository.change { writer in
                var account = try #require(try writer.account(ids[0]))
                account.isDisabled = true
                try writer.update(account)
            }
            #expect(try accounts() == [nil, ids[1], nil])
            try repository.change { try $0.remove(ids[1]) }
            #expect(try accounts() == [nil, nil, nil])
        },
        AccountRepositoryContract("notes changes of groups beside those of inboxes") { subject in
            let repository = subject.repository
            try repository.fill(2)
            let accounts = [1, 2].map { AccountSamples.accountID($0) }
            let group = InboxSamples.id(5)
            try repository.change { writer in
                var inbox = InboxSamples.inbox(1)
                try writer.insert(inbox)
                inbox.last = 1
                try writer.setSyncChange(writer.beginChanges(1), of: group, accounts[1])
                try writer.update(inbox, change: writer.beginChanges(1))
                try writer.setSyncChange(writer.beginChanges(1), of: group, accounts[0])
            }
            let last = try repository.read { try $0.lastChange() }
            let changed = try repository.read { try $0.changed(after: last - 3, limit: 9) }
            #expect(
                changed.map(\.subject) == [
                    accounts[1].text + group.text, InboxSamples.id(1).text,
                    accounts[0].text + group.text,
                ])
            #expect(changed.map(\.change) == [last - 2, last - 1, last])
            #expect(
                try repository.read { try $0.changed(after: last - 2, limit: 1) }.map(\.change)
                    == [last - 1])
            #expect(try repository.read { try $0.syncChange(of: group, accounts[0]) } == last)
            #expect(try repository.read { try $0.syncGroups(of: accounts[1]) } == [group])
        },
        AccountRepositoryContract("removes what sync keeps of an account with the account") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let (first, second) = (AccountSamples.accountID(1), AccountSamples.accountID(2))
            let place = SyncSamples.place("1")
            try repository.change { writer in
                try SyncSamples.fill(writer)
                try writer.insertBlob([2], second, place)
                try writer.remove(first)
            }
            try repository.read { (reader) throws in
                #expect(try reader.blob(first, place) == nil)
                #expect(try reader.syncUsage(of: first) == SyncUsage())
                #expect(try reader.syncGroups(of: first) == [])
                #expect(try reader.blob(second, place) == [2])
            }
        },
    ]
}
