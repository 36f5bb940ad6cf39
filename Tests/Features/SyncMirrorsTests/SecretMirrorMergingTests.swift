import SecretMemory
import SecureStorage
import Sync
import SyncMirrors
import TestSupport
import Testing

/// The rows of the table of `Docs/Sync.md`, section 7, that concern secrets: between vaults that changed the same secret apart.
@Suite("Secrets of several homes: merging")
struct SecretMirrorMergingTests {
    @Test("a new secret comes to every home with all its fields")
    func newSecret() throws {
        try withSecretHomes(3) { group, homes in
            let view = SecretView(
                value: "v", label: "Mail", isProtected: true,
                extra: ["url": "example.org", "x": ""])
            try homes[1].set(
                "mail", view.value, label: view.label, isProtected: true, extra: view.extra)
            try group.exchange()
            for home in homes {
                #expect(
                    try home.all() == [
                        "bank": SecretView(value: "old", label: "Bank"), "mail": view,
                    ])
                #expect(try home.round() == SecretMirrorReport())
            }
        }
    }

    @Test("value: the newest is shown, the other is an earlier one, marked until a person looks")
    func values() throws {
        try withSecretHomes { group, homes in
            try homes[1].set("bank", "first")
            group.wait()
            try homes[0].set("bank", "second")
            group.wait()
            try group.exchange()
            for home in homes {
                #expect(try home.values("bank").first == "second")
                #expect(Set(try home.values("bank")) == ["second", "first", "old"])
                #expect(try home.mark("bank") == ["first"])
                #expect(try home.mirror.markedNames() == [.test("bank")])
            }
            #expect(try homes[1].mirror.looked(at: .test("bank")))
            try group.exchange()
            for home in homes {
                #expect(try home.mark("bank") == nil)
                #expect(try home.mirror.markedNames() == [])
                #expect(try !home.mirror.looked(at: .test("bank")))
            }
        }
    }

    @Test("the order is that of the changes, not of the rounds")
    func order() throws {
        try withSecretHomes { group, homes in
            try homes[1].set("bank", "earlier", label: "earlier")
            group.wait()
            try homes[0].set("bank", "later", label: "later")
            group.wait()
            try homes[0].round()
            group.wait()
            try homes[1].round()
            try group.exchange()
            for home in homes {
                #expect(try home.all() == ["bank": SecretView(value: "later", label: "later")])
            }
        }
    }

    @Test("equal values made apart leave no mark")
    func equalValues() throws {
        try withSecretHomes { group, homes in
            for home in homes { try home.set("bank", "same") }
            group.wait()
            try group.exchange()
            for home in homes {
                #expect(try home.values("bank") == ["same", "old"])
                #expect(try home.mark("bank") == nil)
            }
        }
    }

    @Test("equal values leave no mark, also if one needs verification")
    func equalValuesOfTwoClasses() throws {
        try withSecretHomes { group, homes in
            try homes[0].set("bank", "same", isProtected: true)
            group.wait()
            try homes[1].set("bank", "same")
            group.wait()
            try group.exchange()
            for home in homes {
                #expect(try home.mark("bank") == nil)
                #expect(try home.mirror.markedNames() == [])
                #expect(try home.all()["bank"]?.isProtected == true)
            }
        }
    }

    @Test("one after the other, changes leave no mark")
    func sequence() throws {
        try withSecretHomes { group, homes in
            for (place, text) in ["a", "b", "c", "d"].enumerated() {
                try homes[place % 2].set("bank", text)
                group.wait()
                try group.exchange()
            }
            for home in homes {
                #expect(try home.values("bank") == ["d", "c", "b", "a", "old"])
                #expect(try home.mirror.markedNames() == [])
            }
        }
    }

    @Test("values in between come as earlier ones")
    func between() throws {
        try withSecretHomes { group, homes in
            for text in ["a", "b", "a", "c"] {
                try homes[0].set("bank", text)
                group.wait(5)
            }
            try group.exchange()
            #expect(try homes[1].values("bank").first == "c")
            #expect(Set(try homes[1].values("bank")) == ["c", "b", "a", "old"])
            #expect(try homes[1].mark("bank") == nil)
            // Also without the passage of time, and back to the old value.
            for text in ["x", "y", "c"] { try homes[1].set("bank", text) }
            try group.exchange()
            #expect(try homes[0].values("bank").first == "c")
            #expect(try homes[0].values("bank").contains("x"))
            #expect(try homes[0].values("bank").contains("y"))
        }
    }

    @Test("other fields: the newest of each field, field by field; the log names the loser")
    func fields() throws {
        try withSecretHomes { group, homes in
            try homes[0].edit("bank", SecretEdit(label: "one"))
            try homes[0].set("bank", "old", extra: ["user": "ada"])
            group.wait()
            try homes[1].edit("bank", SecretEdit(label: "two"))
            try homes[1].set("bank", "old", extra: ["url": "example.org"])
            group.wait()
            try group.exchange()
            for home in homes {
                #expect(
                    try home.all()["bank"]
                        == SecretView(
                            value: "old", label: "two",
                            extra: ["user": "ada", "url": "example.org"]))
                #expect(try home.mark("bank") == nil)
                let lost = try home.mirror.lostFields(since: 0)
                #expect(lost.map(\.text) == ["one"])
                #expect(lost.map(\.device) == [homes[0].id])
                #expect(try home.mirror.lostFields(since: group.clock.now + 1) == [])
            }
        }
    }

    @Test("a removed attribute is removed everywhere, and one that is set again comes back")
    func removedAttribute() throws {
        try withSecretHomes { group, homes in
            try homes[0].set("bank", "old", extra: ["a": "1", "b": ""])
            group.wait()
            try group.exchange()
            #expect(try homes[1].all()["bank"]?.extra == ["a": "1", "b": ""])
            try homes[1].set("bank", "old", extra: ["b": ""])
            group.wait()
            try group.exchange()
            #expect(try homes[0].all()["bank"]?.extra == ["b": ""])
            try homes[0].set("bank", "old", extra: ["a": ""])
            group.wait()
            try group.exchange()
            #expect(try homes[1].all()["bank"]?.extra == ["a": ""])
        }
    }

    @Test("same name made twice: one secret with both values")
    func names() throws {
        try withSecretHomes(3) { group, homes in
            for (place, home) in homes.enumerated() {
                try home.set("mail", "value \(place)", label: "label \(place)")
                group.wait(5)
            }
            try group.exchange(4)
            for home in homes {
                #expect(try home.all()["mail"] == SecretView(value: "value 2", label: "label 2"))
                #expect(Set(try home.values("mail")) == ["value 0", "value 1", "value 2"])
                #expect(try home.mark("mail") == ["value 1", "value 0"])
            }
        }
    }

    @Test(
        "two full vaults with equal names: by the time of the changes, equal values without a mark")
    func fullVaults() throws {
        try withTemporaryFolder { folder in
            let group = try SecretGroup(folder, count: 2)
            let homes = group.homes
            for number in 0..<20 {
                try homes[number % 2].set("s\(number)", number < 10 ? "same" : "left \(number)")
                group.wait(5)
                try homes[1 - number % 2].set(
                    "s\(number)", number < 10 ? "same" : "right \(number)")
                group.wait(5)
            }
            try homes[0].set("only", "here")
            group.wait()
            try group.exchange()
            #expect(try homes[0].all() == homes[1].all())
            #expect(try homes[0].all().count == 21)
            for home in homes {
                for number in 0..<10 { #expect(try home.values("s\(number)") == ["same"]) }
                for number in 10..<20 {
                    #expect(try home.values("s\(number)").first == "right \(number)")
                    #expect(try home.mark("s\(number)") == ["left \(number)"])
                }
                #expect(try home.round() == SecretMirrorReport())
            }
        }
    }

    @Test("a removed secret is in the trash everywhere, and comes back with its earlier values")
    func remove() throws {
        try withSecretHomes { group, homes in
            try homes[0].set("bank", "new")
            group.wait()
            try group.exchange()
            try homes[0].remove("bank")
            try group.exchange()
            for home in homes {
                #expect(try home.all() == [:])
                #expect(try home.vault.removed().map(\.item.name) == [.test("bank")])
            }
            try homes[1].restore("bank")
            try group.exchange()
            for home in homes {
                #expect(try home.all()["bank"]?.value == "new")
                #expect(try home.values("bank") == ["new", "old"])
                #expect(try home.mark("bank") == nil)
                #expect(try home.vault.removed() == [])
                #expect(try home.round() == SecretMirrorReport())
            }
        }
    }

    @Test("a remove against a change: the secret comes back, and is marked until a person looks")
    func removeAgainstChange() throws {
        try withSecretHomes(3) { group, homes in
            try homes[0].remove("bank")
            group.wait()
            try homes[1].set("bank", "new")
            group.wait()
            try group.exchange()
            for home in homes {
                #expect(try home.all()["bank"] == SecretView(value: "new", label: "Bank"))
                #expect(try home.mark("bank") == ["↺"])
            }
            try homes[2].mirror.looked(at: .test("bank"))
            try group.exchange()
            for home in homes { #expect(try home.mark("bank") == nil) }
        }
    }

    @Test("the remove of an entry against a change of one field: the whole entry comes back")
    func removeEntryAgainstChange() throws {
        try withSecretHomes(3) { group, homes in
            let names = try ["password", "totp", "notes", "old"].map {
                try SecretName(service: "shop", account: "me", field: $0)
            }
            for name in names {
                try homes[0].vault.save(
                    Samples.secret(name.field), as: name,
                    SecretAttributes(
                        accessClass: name.field == "totp" ? .afterVerification : .whileUnlocked))
            }
            try group.exchange()
            // A field that was removed by itself stays removed.
            try homes[2].vault.remove(names[3])
            try homes[2].round()
            group.wait()
            try homes[1].vault.update(
                names[0], to: Samples.secret("new"), SecretEdit(), expecting: nil)
            group.wait()
            try homes[0].vault.change(
                names.map { SecretChange($0, expecting: nil, .remove(permanently: false)) })
            try homes[0].round()
            try homes[1].verify(false)
            try group.exchange()
            try homes[1].verify(true)
            try group.exchange(4)
            for home in homes {
                var fields: [String: String] = [:]
                for item in try home.vault.list() where item.name.service == "shop" {
                    try home.vault.read(item.name) { item, value in
                        fields[item.name.field] = String(
                            decoding: Samples.bytes(value), as: UTF8.self)
                    }
                }
                #expect(fields == ["password": "new", "totp": "totp", "notes": "notes"])
                #expect(try home.round() == SecretMirrorReport())
            }
            // Nothing brings it back a second time.
            try homes[2].vault.change(
                names.dropLast().map {
                    SecretChange($0, expecting: nil, .remove(permanently: false))
                })
            try group.exchange(4)
            for home in homes {
                #expect(try home.all() == ["bank": SecretView(value: "old", label: "Bank")])
            }
        }
    }

    @Test("a secret that is restored under another name is renamed everywhere")
    func restoredUnderAnotherName() throws {
        try withSecretHomes { group, homes in
            try homes[0].remove("bank")
            try group.exchange()
            try homes[0].set("bank", "another")
            try homes[0].restore("bank", as: "old bank")
            group.wait()
            try group.exchange()
            for home in homes {
                #expect(
                    try home.all() == [
                        "bank": SecretView(value: "another"),
                        "old bank": SecretView(value: "old", label: "Bank"),
                    ])
                #expect(try home.values("bank") == ["another"])
            }
        }
    }

    @Test("a secret that is removed and made anew is another one")
    func madeAnew() throws {
        try withSecretHomes { group, homes in
            try homes[0].remove("bank")
            group.wait()
            try homes[0].set("bank", "another")
            group.wait()
            try group.exchange()
            for home in homes {
                #expect(try home.values("bank") == ["another"])
                #expect(try home.vault.removed().map(\.item.attributes.label) == ["Bank"])
                #expect(try home.mark("bank") == nil)
            }
        }
    }

    @Test("class: protected while anybody protects it; lowering counts if it had seen that")
    func classes() throws {
        try withSecretHomes { group, homes in
            try homes[0].edit("bank", SecretEdit(accessClass: .afterVerification))
            group.wait()
            try group.exchange()
            #expect(try homes[1].all()["bank"]?.isProtected == true)
            try homes[1].edit("bank", SecretEdit(accessClass: .whileUnlocked))
            group.wait()
            try group.exchange()
            #expect(try homes[0].all()["bank"]?.isProtected == false)
            try homes[0].edit("bank", SecretEdit(accessClass: .afterVerification))
            try homes[0].edit("bank", SecretEdit(accessClass: .whileUnlocked))
            try homes[1].edit("bank", SecretEdit(accessClass: .afterVerification))
            group.wait()
            try group.exchange()
            for home in homes { #expect(try home.all()["bank"]?.isProtected == true) }
        }
    }

    @Test("the end of protection waits for the key V, and is not taken back meanwhile")
    func classesWithoutKey() throws {
        try withSecretHomes { group, homes in
            try homes[0].edit("bank", SecretEdit(accessClass: .afterVerification))
            group.wait()
            try group.exchange()
            try homes[1].edit("bank", SecretEdit(accessClass: .whileUnlocked))
            try homes[1].verify(false)
            try homes[0].edit("bank", SecretEdit(label: "another"))
            group.wait()
            try group.exchange()
            #expect(try homes[1].all()["bank"]?.isProtected == false)
            #expect(try homes[0].all()["bank"]?.isProtected == true)
            try homes[1].verify(true)
            try group.exchange()
            for home in homes {
                #expect(try home.all()["bank"]?.isProtected == false)
                #expect(try home.all()["bank"]?.label == "another")
            }
        }
    }

    @Test("a renamed secret stays the same one, also against a change")
    func rename() throws {
        try withSecretHomes { group, homes in
            try homes[0].rename("bank", to: "savings")
            try homes[1].set("bank", "new")
            group.wait()
            try group.exchange()
            for home in homes {
                #expect(try home.all() == ["savings": SecretView(value: "new", label: "Bank")])
                #expect(try home.values("savings") == ["new", "old"])
                #expect(try home.mirror.markedNames() == [])
            }
        }
    }

    @Test("exchanged names, and names that move on, stay with their secrets")
    func swap() throws {
        try withSecretHomes { group, homes in
            for name in ["a", "b", "c", "d"] {
                try homes[0].set(name, "value of \(name)", isProtected: name == "b")
                group.wait(5)
            }
            try group.exchange()
            let start = try homes[0].all()
            try homes[0].rename("a", to: "x")
            try homes[0].rename("b", to: "a")
            try homes[0].rename("x", to: "b")
            try homes[0].remove("d")
            try homes[0].rename("c", to: "d")
            try homes[0].set("c", "new c")
            group.wait()
            try group.exchange()
            for home in homes {
                var wanted = start
                wanted["a"] = start["b"]
                wanted["b"] = start["a"]
                wanted["d"] = start["c"]
                wanted["c"] = SecretView(value: "new c")
                #expect(try home.all() == wanted)
                #expect(try home.values("a") == ["value of b"])
                #expect(try home.mirror.markedNames() == [])
            }
        }
    }

    @Test("an entry whose fields were made at one time is renamed as a whole")
    func renamedEntry() throws {
        try withSecretHomes { group, homes in
            let names = try ["password", "notes", "pin"].map {
                try SecretName(service: "shop", account: "me", field: $0)
            }
            for name in names {
                try homes[0].vault.save(Samples.one(), as: name, SecretAttributes())
            }
            group.wait()
            try group.exchange()
            for name in names {
                let other = try SecretName(service: "store", account: "me", field: name.field)
                try homes[0].vault.edit(name, SecretEdit(name: other), expecting: nil)
            }
            group.wait()
            try group.exchange()
            #expect(try homes[1].vault.removed() == [])
            #expect(try homes[1].vault.list().filter { $0.name.service == "store" }.count == 3)
        }
    }

    @Test("two secrets that get one name become one, with the values of both")
    func renamedToOneName() throws {
        try withSecretHomes { group, homes in
            try homes[0].set("other", "value of other")
            group.wait()
            try group.exchange()
            try homes[0].rename("bank", to: "x")
            group.wait()
            try homes[1].rename("other", to: "x")
            group.wait()
            try group.exchange(4)
            for home in homes {
                #expect(Array(try home.all().keys) == ["x"])
                #expect(Set(try home.values("x")) == ["old", "value of other"])
                #expect(try home.round() == SecretMirrorReport())
            }
            #expect(try homes[0].all() == homes[1].all())
        }
    }

    @Test("names of TaskVault's own secrets do not travel, and are refused when they come")
    func reserved() throws {
        try withSecretHomes { group, homes in
            let reserved = try SecretName(service: "taskvault.secret-service", account: "a")
            try homes[0].vault.save(Samples.one(), as: reserved, SecretAttributes())
            #expect(try homes[0].round() == SecretMirrorReport())
            // A member that does not keep to it.
            let object = ObjectID.random(from: group.random)
            try homes[0].replica.change { _ in
                var writer = [UInt8]()
                for part in ["taskvault.task", "a", "password"] {
                    writer += [UInt8(part.utf8.count), 0, 0, 0] + Array(part.utf8)
                }
                return [
                    Draft(object, .create, .whileUnlocked, [ObjectState.Kind.item]),
                    Draft(object, .itemName, .whileUnlocked, writer),
                    Draft(
                        object, .value, .whileUnlocked,
                        .secret(SecretContent(try Samples.one()))),
                ]
            }
            try homes[0].round()
            #expect(try homes[1].round().refused == 1)
            #expect(try homes[1].vault.list().map(\.name) == [.test("bank")])
            #expect(try homes[1].round() == SecretMirrorReport())
        }
    }
}
