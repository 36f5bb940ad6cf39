internal import Accounts
internal import Sealing
internal import Testing
internal import TextCoding

/// The time of a refusal, after the cost of passwords was changed. It is the cost of what is verified, which can be compared.
extension AccountServiceContract {
    private static let old = AccountFixture.cost
    private static let middle = KeyDerivationCost(passes: 1, memoryKiB: 16)
    private static let new = KeyDerivationCost(passes: 2, memoryKiB: 16)

    /// A service whose guesses are not counted, over accounts with passwords of these costs.
    private static func fixture(
        _ repository: any AccountRepository, _ counts: [(KeyDerivationCost, Int)] = [],
        today: KeyDerivationCost = new
    ) throws -> AccountFixture {
        let fixture = try AccountFixture(sharing: repository) { rules in
            rules.passwordCost = today
            rules.guessing.freeFailures = 0
            rules.guessing.networkAttempts = 0
        }
        let password = try AccountFixture.password(AccountFixture.ownersPassword)
        for (cost, count) in counts {
            let hash = try fixture.hashing.hash(password, cost: cost)
            try repository.change { writer throws(AccountRepositoryError) in
                for number in 0..<count {
                    let text = "\(cost.memoryKiB).\(cost.passes).\(number)@example.com"
                    guard let name = EmailAddress(text) else { continue }
                    try writer.insert(
                        Account(
                            email: name, password: hash, created: AccountFixture.start,
                            isDisabled: number.isMultiple(of: 3)))
                }
            }
        }
        return fixture
    }

    static let decoyRules: [AccountServiceContract] = [
        .init("a name without an account has the cost of today while all accounts have it") {
            repository in
            let fixture = try fixture(repository)
            #expect(try Set(fixture.costs(ofNobodys: 40)) == [new], "there is no account")
            let some = try Self.fixture(repository, [(new, 3)])
            #expect(try Set(some.costs(ofNobodys: 40)) == [new])
        },
        .init("a name without an account has the old cost while all accounts have it") {
            repository in
            let fixture = try fixture(repository, [(old, 3)])
            #expect(try Set(fixture.costs(ofNobodys: 40)) == [old])
            let account = "8.1.1@example.com"
            #expect(try fixture.costs(of: [account]) == [old])
        },
        .init("names without an account have each cost as often as accounts have it") {
            repository in
            let fixture = try fixture(repository, [(old, 50), (new, 20), (middle, 30)])
            let costs = try fixture.costs(ofNobodys: 400)
            // Six standard deviations: the key is another one each time.
            for (cost, expected) in [(old, 200), (middle, 120), (new, 80)] {
                let count = costs.count { $0 == cost }
                #expect(abs(count - expected) < 60, "\(count) of \(cost)")
            }
            #expect(costs.allSatisfy { [old, middle, new].contains($0) })
        },
        .init("a name without an account keeps its cost, whoever is asked, and nobody can tell it")
        {
            repository in
            let fixture = try fixture(repository, [(old, 5), (new, 5)])
            let costs = try fixture.costs(ofNobodys: 64)
            #expect(try fixture.costs(ofNobodys: 64) == costs)
            let other = try Self.fixture(repository)
            #expect(try other.costs(ofNobodys: 64) == costs, "another server of this database")
            let lowered = try Self.fixture(repository, today: old)
            #expect(try lowered.costs(ofNobodys: 64) == costs, "one that asks for less")
            let foreign = try Self.fixture(MemoryAccountRepository(), [(old, 5), (new, 5)])
            #expect(try foreign.costs(ofNobodys: 64) != costs, "one of another database")
        },
        .init("while accounts get the new cost, names without one do, and stay with it") {
            repository in
            let fixture = try fixture(repository, [(old, 6), (middle, 6)])
            var before = try fixture.costs(ofNobodys: 48)
            for number in 0..<12 {
                let memory = number.isMultiple(of: 2) ? 8 : 16
                let name = try AccountFixture.name("\(memory).1.\(number / 2)@example.com")
                try fixture.administration.setDisabled(name, false)
                _ = try fixture.signIn(name.text)
                let costs = try fixture.costs(ofNobodys: 48)
                for (cost, earlier) in zip(costs, before) {
                    #expect(cost == new || cost == earlier, "account \(number)")
                }
                before = costs
            }
            #expect(Set(before) == [new])
        },
        .init("after the cost was lowered, names without an account follow accounts as well") {
            repository in
            let fixture = try fixture(repository, [(new, 6)], today: old)
            #expect(try Set(fixture.costs(ofNobodys: 40)) == [new])
            for number in 0..<6 {
                try fixture.administration.remove(
                    AccountFixture.name("16.2.\(number)@example.com"))
            }
            #expect(try Set(fixture.costs(ofNobodys: 40)) == [old])
        },
    ]
}

extension AccountFixture {
    /// What it cost to refuse these names a wrong password.
    fileprivate func costs(of names: [String]) throws -> [KeyDerivationCost] {
        hashing.forget()
        for name in names { #expect(try refusal(name) == .rejected) }
        return hashing.derivations.map { derivation in
            switch derivation {
            case .match(let cost), .hash(let cost): cost
            }
        }
    }

    /// What it cost to refuse so many names without an account.
    fileprivate func costs(ofNobodys count: Int) throws -> [KeyDerivationCost] {
        let costs = try costs(of: (0..<count).map { "nobody\($0)@example.com" })
        #expect(costs.count == count, "once for each")
        return costs
    }
}
