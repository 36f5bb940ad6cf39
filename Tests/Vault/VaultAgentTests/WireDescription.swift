import Passkeys
import Sealing
import SecureStorage
@testable import VaultAgent
import VaultCore

/// What a message means, in the words of the vectors.
enum WireDescription {
    static func hex(_ bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "-" }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func hex(_ text: String) -> String { hex(Array(text.utf8)) }

    static func words(_ request: AgentRequest) -> [String] {
        switch request {
        case .hello(let version, let program): ["hello", "\(version)", hex(program)]
        case .end: ["end"]
        case .status: ["status"]
        case .unlock(let kind, let acceptsOlder, let acceptsOther):
            ["unlock", "\(kind.rawValue)", acceptsOlder ? "1" : "0", acceptsOther ? "1" : "0"]
        case .verify(let kind): ["verify", "\(kind.rawValue)"]
        case .lock: ["lock"]
        case .settings: ["settings"]
        case .restored: ["restored"]
        case .changeSetting(let setting, let value):
            ["change_setting", "\(setting.rawValue)", "\(value)"]
        case .slots: ["slots"]
        case .generation: ["generation"]
        case .reader(let process): ["reader", "\(process)"]
        case .addKey(let kind, let record): ["add_key", "\(kind.rawValue)", hex(record.bytes)]
        case .renameKey(let name): ["rename_key", hex(name)]
        case .removeSlot(let kind, let id, let keepsKeys):
            ["remove_slot", "\(kind.rawValue)", hex(id), keepsKeys ? "1" : "0"]
        case .verifyByFinger: ["verify_by_finger"]
        case .read(let name): ["read"] + words(name)
        case .save(let name, let attributes): ["save"] + words(name) + words(attributes)
        case .update(let name, let edit, let revision):
            ["update"] + words(name) + words(edit) + words(revision)
        case .edit(let name, let edit, let revision):
            ["edit"] + words(name) + words(edit) + words(revision)
        case .remove(let name, let revision, let isPermanent):
            ["remove"] + words(name) + words(revision) + [isPermanent ? "1" : "0"]
        case .list: ["list"]
        case .describe(let name): ["describe"] + words(name)
        case .saveAll(let isReplacing, let part, let isLast):
            ["save_all", isReplacing ? "1" : "0", "\(part)", isLast ? "1" : "0"]
        case .history(let name): ["history"] + words(name)
        case .removed: ["removed"]
        case .restore(let name, let revision): ["restore"] + words(name) + ["\(revision)"]
        case .restoreRemoved(let id, let name):
            ["restore_removed", hex(id)] + (name.map { ["1"] + words($0) } ?? ["0"])
        case .find(let search, let limit): ["find", "\(limit)"] + words(search)
        case .change(let changes): ["change", "\(changes.count)"] + changes.flatMap(words)
        case .beginPasskey(let isRegistering, let port):
            ["begin_passkey", isRegistering ? "1" : "0", "\(port)"]
        case .registerPasskey(let registration):
            ["register_passkey", hex(registration.clientData), hex(registration.attestationObject)]
        case .unlockByPasskey(let assertion, let acceptsOlder, let acceptsOther):
            ["unlock_by_passkey"] + words(assertion)
                + [acceptsOlder ? "1" : "0", acceptsOther ? "1" : "0"]
        case .verifyByPasskey(let assertion): ["verify_by_passkey"] + words(assertion)
        case .addPasskey(let kind, let assertion, let name):
            ["add_passkey", "\(kind.rawValue)"] + words(assertion) + [hex(name)]
        case .file(let request): words(request)
        }
    }

    static func words(_ answer: AgentAnswer) -> [String] {
        switch answer {
        case .hello(let version, let program, let vault):
            return ["hello", "\(version)", hex(program), hex(vault)]
        case .done: return ["done"]
        case .status(let status):
            let flags = [
                status.isUnlocked, status.isVerified, status.isMemoryLocked,
                status.isRollbackRecordKept,
            ]
            return ["status"] + flags.map { $0 ? "1" : "0" } + [
                "\(status.verificationLeft)", "\(status.idleTimeLeft)",
                "\(status.absoluteTimeLeft)", "\(status.processID)",
                "\(status.finger.rawValue)", status.areFilesLimited ? "1" : "0",
            ]
        case .settings(let settings):
            return ["settings"] + VaultSetting.allCases.map { "\(settings[$0])" }
        case .item(let item): return ["item"] + words(item)
        case .value(let item): return ["value"] + words(item)
        case .items(let items): return ["items", "\(items.count)"] + items.flatMap(words)
        case .refused(let secrets):
            return ["refused", "\(secrets.count)"]
                + secrets.flatMap { ["\($0.place)"] + words($0.failure) }
        case .restored(let time, let code): return ["restored", "\(time)", "\(code)"]
        case .earlier(let secrets):
            return ["earlier", "\(secrets.count)"]
                + secrets.flatMap { [hex($0.id)] + words($0.item) + ["\($0.moved)"] }
        case .slots(let slots): return ["slots", "\(slots.count)"] + slots.flatMap(words)
        case .passkey(let challenge):
            return ["passkey", hex(challenge.bytes), "\(challenge.choices.count)"]
                + challenge.choices.flatMap { [hex($0.id), hex($0.input)] }
        case .finger(let prompt):
            return [
                "finger", "\(prompt.reason.rawValue)", "\(prompt.process)", hex(prompt.program),
            ]
        case .file(let file): return ["file"] + words(file)
        case .files(let files): return ["files", "\(files.count)"] + files.flatMap(words)
        case .earlierFiles(let files):
            return ["earlier_files", "\(files.count)"]
                + files.flatMap { words($0.file) + ["\($0.moved)"] }
        case .chunk: return ["chunk"]
        case .fileSettings(let settings): return ["file_settings"] + words(settings)
        case .generation(let generation):
            return ["generation", "\(generation.counter)", "\(generation.sessionSecrets)"]
        case .failure(let failure): return ["failure"] + words(failure)
        }
    }

    private static func words(_ request: FileRequest) -> [String] {
        switch request {
        case .list(let selection): ["list_files"] + words(selection)
        case .earlier(let id): ["earlier_files"] + optional(id) { [$0] }
        case .begin(.new(let name, let isProtected, let task)):
            ["begin_file", "1", hex(name), isProtected ? "1" : "0"] + optional(task) { [hex($0)] }
        case .begin(.replacing(let id)): ["begin_file", "2", id]
        case .append: ["append_to_file"]
        case .finish: ["finish_file"]
        case .read(let id, let revision): ["read_file", id] + words(revision)
        case .next: ["next_chunk"]
        case .edit(let id, let edit):
            ["edit_file", id] + optional(edit.name) { [hex($0)] }
                + optional(edit.isProtected) { [$0 ? "1" : "0"] }
                + optional(edit.task) { optional($0) { [hex($0)] } }
        case .remove(let id, let isPermanent): ["remove_file", id, isPermanent ? "1" : "0"]
        case .restore(let id, .revision(let revision)): ["restore_file", id, "1", "\(revision)"]
        case .restore(let id, .removed(let name)):
            ["restore_file", id, "2"] + optional(name) { [hex($0)] }
        case .settings: ["file_settings"]
        case .changeSettings(let known, let new):
            ["change_file_settings"] + words(known) + words(new)
        }
    }

    private static func words(_ selection: FileRequest.Selection) -> [String] {
        switch selection {
        case .all(let order): ["1", number(order)]
        case .named(let name): ["2", hex(name)]
        case .task(let task): ["3", hex(task)]
        }
    }

    private static func words(_ settings: FileSettings) -> [String] {
        [number(settings.order), settings.showsSizes ? "1" : "0"]
    }

    private static func number(_ order: FileOrder) -> String {
        "\((FileOrder.allCases.firstIndex(of: order) ?? -1) + 1)"
    }

    private static func words(_ file: StoredFile) -> [String] {
        [
            file.id, hex(file.name), file.isProtected ? "1" : "0", "\(file.size)",
            hex(file.mediaType),
        ]
            + optional(file.pixels) { ["\($0.width)", "\($0.height)"] }
            + optional(file.task) { [hex($0)] }
            + ["\(file.added)", "\(file.modified)", "\(file.revision)"]
    }

    private static func optional<Part>(_ part: Part?, _ words: (Part) -> [String]) -> [String] {
        part.map { ["1"] + words($0) } ?? ["0"]
    }

    private static func words(_ assertion: PasskeyAssertion) -> [String] {
        [
            hex(assertion.credentialID), hex(assertion.clientData),
            hex(assertion.authenticatorData), hex(assertion.signature),
        ]
    }

    private static func words(_ slot: KeySlotDescription) -> [String] {
        [
            hex(slot.id), "\(slot.kind.rawValue)", "\(slot.cost.passes)",
            "\(slot.cost.memoryKiB)", hex(slot.record?.bytes ?? []),
        ]
    }

    private static func words(_ search: SecretSearch) -> [String] {
        switch search {
        case .entry(let service, let account): ["1", hex(service), hex(account)]
        case .exact(let text): ["2", hex(text)]
        case .whole(let text): ["3", hex(text)]
        case .part(let text): ["4", hex(text)]
        }
    }

    private static func words(_ change: SecretChange) -> [String] {
        let action =
            switch change.action {
            case .edit(let edit): ["1"] + words(edit)
            case .remove(let isPermanent): ["2", isPermanent ? "1" : "0"]
            }
        return words(change.name) + words(change.revision) + action
    }

    private static func words(_ failure: WireFailure) -> [String] {
        [hex(failure.code), "\(failure.numbers.count)"] + failure.numbers.map { "\($0)" }
            + ["\(failure.texts.count)"] + failure.texts.map(hex)
    }

    private static func words(_ name: SecretName) -> [String] {
        [hex(name.service), hex(name.account), hex(name.field)]
    }

    private static func words(_ attributes: SecretAttributes) -> [String] {
        ["\(attributes.accessClass.rawValue)", hex(attributes.label)] + words(attributes.extra)
    }

    private static func words(_ extra: [ExtraAttribute]) -> [String] {
        ["\(extra.count)"] + extra.map { hex($0.key) + "=" + hex($0.text) }
    }

    private static func words(_ edit: SecretEdit) -> [String] {
        var flags = 0
        var words: [String] = []
        if let name = edit.name {
            flags += 1
            words += self.words(name)
        }
        if let label = edit.label {
            flags += 2
            words.append(hex(label))
        }
        if let accessClass = edit.accessClass {
            flags += 4
            words.append("\(accessClass.rawValue)")
        }
        if let extra = edit.extra {
            flags += 8
            words += self.words(extra)
        }
        return ["\(flags)"] + words
    }

    private static func words(_ revision: UInt64?) -> [String] {
        revision.map { ["1", "\($0)"] } ?? ["0"]
    }

    private static func words(_ item: SecretItem) -> [String] {
        words(item.name) + words(item.attributes)
            + ["\(item.revision)", "\(item.created)", "\(item.modified)"]
    }
}
