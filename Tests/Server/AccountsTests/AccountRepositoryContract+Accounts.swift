import Accounts
import Sealing
import Testing

extension AccountRepositoryContract {
    static let accountRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("is empty at first, and answers") { subject in
            let repository = subject.repository
            try repository.check()
            let everything = try Everything(repository)
            #expect(everything.accounts == [] && everything.invitations == [])
            #expect(everything.sessions.flatMap { $0 }.isEmpty)
            let count = try repository.change { try $0.countAttempts() }
            #expect(count == 0)
        },
        AccountRepositoryContract("finds an account unchanged by id and by name") {
            subject in
            let first = AccountSamples.account(
                1, "zoë+shop@bücher.example", created: -5, changed: .max, isDisabled: true)
            let second = AccountSamples.account(2, created: .min)
            try subject.repository.change { writer in
                try writer.insert(first)
                try writer.insert(second)
                #expect(try writer.account(first.id) == first)
                #expect(try writer.account(second.email) == second)
            }
            for account in [first, second] {
                #expect(try subject.repository.read { try $0.account(account.id) } == account)
                #expect(try subject.repository.read { try $0.account(account.email) } == account)
            }
            #expect(
                try subject.repository.read { try $0.account(AccountSamples.accountID(3)) } == nil)
            #expect(
                try subject.repository.read {
                    try $0.account(AccountSamples.email("x@example.org"))
                } == nil)
        },
        AccountRepositoryContract(
            "refuses an account whose id or name is taken; the transaction continues"
        ) {
            subject in
            let account = AccountSamples.account(1, "one@example.org")
            try subject.repository.change { writer in
                try writer.insert(account)
                #expect(throws: AccountError.alreadyExists) {
                    try writer.insert(AccountSamples.account(1, "other@example.org"))
                }
                #expect(throws: AccountError.alreadyExists) {
                    try writer.insert(AccountSamples.account(2, "one@example.org"))
                }
                try writer.insert(AccountSamples.account(3, "three@example.org"))
            }
            let names = try subject.repository.read { try $0.accounts(after: nil, limit: 9) }.map(
                \.id)
            #expect(names == [1, 3].map(AccountSamples.accountID))
            #expect(try subject.repository.read { try $0.account(account.id) } == account)
        },
        AccountRepositoryContract("replaces the password, its time, and whether sign-in is refused")
        {
            subject in
            let account = AccountSamples.account(1, "one@example.org", created: 5)
            let other = AccountSamples.account(2)
            var changed = account
            changed.password = AccountSamples.password("B")
            changed.passwordChanged = AccountSamples.time(77)
            changed.isDisabled = true
            try subject.repository.change { writer in
                try writer.insert(account)
                try writer.insert(other)
                // The name and the time of creation cannot be changed.
                try writer.update(
                    Account(
                        id: account.id, email: AccountSamples.email("new@example.org"),
                        password: changed.password, created: AccountSamples.time(6),
                        passwordChanged: changed.passwordChanged, isDisabled: true))
                #expect(throws: AccountError.missing) {
                    try writer.update(AccountSamples.account(3))
                }
            }
            #expect(try subject.repository.read { try $0.account(account.id) } == changed)
            #expect(try subject.repository.read { try $0.account(other.id) } == other)
            changed.isDisabled = false
            try subject.repository.change { try $0.update(changed) }
            #expect(try subject.repository.read { try $0.account(account.email) } == changed)
        },
        AccountRepositoryContract("lists accounts by the bytes of their names, page by page") {
            subject in
            let repository = subject.repository
            let names = [
                "b@x.example", "zz@x.example", "é@x.example", "a@x.example", "a.b@x.example",
            ]
            try repository.change { writer in
                for (number, name) in names.enumerated() {
                    try writer.insert(AccountSamples.account(9 - number, name))
                }
            }
            func list(_ name: String?, _ limit: Int) throws -> [String] {
                let after = name.map(AccountSamples.email)
                let inside = try repository.change { try $0.accounts(after: after, limit: limit) }
                let found = try repository.read { try $0.accounts(after: after, limit: limit) }
                #expect(inside == found)
                return found.map(\.email.text)
            }
            let all = [
                "a.b@x.example", "a@x.example", "b@x.example", "zz@x.example", "é@x.example",
            ]
            #expect(try list(nil, .max) == all)
            #expect(try list(nil, 2) == Array(all[..<2]))
            #expect(try list(all[1], 2) == Array(all[2..<4]))
            #expect(try list(all[3], 2) == [all[4]])
            #expect(try list(all[4], 2) == [])
            #expect(try list("aa@x.example", 1) == ["b@x.example"])
            #expect(try list(nil, 0) == [])
            #expect(try list(nil, -1) == [])
        },
        AccountRepositoryContract("removes an account with its rows, and no other rows") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            try repository.change { writer in
                try writer.insert(AccountSamples.session(3, of: 1))
                try writer.insert(AccountSamples.access(3, of: 3))
                try writer.insert(AccountSamples.refresh(3, of: 3))
                for number in 1...2 {
                    try writer.put(
                        AccountSamples.device(number, of: number, last: 5), keeping: 9)
                    try writer.put(
                        AccountSamples.invitation(number, "person\(number)@example.org"))
                    try writer.put(AccountSamples.attempts(number, last: 5))
                }
            }
            let before = try Everything(repository)
            try repository.change { writer in
                try writer.remove(AccountSamples.accountID(1))
                #expect(throws: AccountError.missing) {
                    try writer.remove(AccountSamples.accountID(1))
                }
            }
            var expected = before
            expected.accounts.removeFirst()
            expected.invitations.removeFirst()
            expected.sessions[1] = []
            expected.devices[1] = []
            for number in [1, 3] {
                expected.access[number] = nil
                expected.refresh[number] = nil
            }
            #expect(try Everything(repository) == expected)
            #expect(try repository.read { try $0.session(AccountSamples.sessionID(1)) } == nil)
            #expect(expected.sessions[2].count == 1 && expected.devices[2].count == 1)
            // The name can be used again.
            try repository.fill(1)
        },
    ]

    static let invitationRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("keeps one invitation for each name, the oldest first") {
            subject in
            let repository = subject.repository
            let newest = AccountSamples.invitation(1, "a@x.example", created: 30, expires: .max)
            let oldest = AccountSamples.invitation(2, "b@x.example", created: 10, expires: .min)
            let middle = AccountSamples.invitation(3, "c@x.example", created: 20)
            let replaced = AccountSamples.invitation(4, "c@x.example", created: 5)
            try repository.change { writer in
                for invitation in [newest, replaced, oldest, middle] { try writer.put(invitation) }
                #expect(try writer.invitations() == [oldest, middle, newest])
            }
            #expect(try repository.read { try $0.invitations() } == [oldest, middle, newest])
            #expect(try repository.read { try $0.invitation(middle.code) } == middle)
            #expect(try repository.read { try $0.invitation(replaced.code) } == nil)
            #expect(try repository.change { try $0.invitation(oldest.code) } == oldest)
        },
        AccountRepositoryContract("returns whether the removed invitation existed") { subject in
            let invitation = AccountSamples.invitation(1, "a@x.example")
            let other = AccountSamples.invitation(2, "b@x.example")
            let removed = try subject.repository.change { writer in
                try writer.put(invitation)
                try writer.put(other)
                return [
                    try writer.removeInvitation(invitation.code),
                    try writer.removeInvitation(invitation.code),
                ]
            }
            #expect(removed == [true, false])
            #expect(try subject.repository.read { try $0.invitations() } == [other])
        },
    ]
}
