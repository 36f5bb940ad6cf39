import Passkeys
import Sealing
import SecureStorage
@testable import VaultAgent
import VaultCore

/// The fields of a message, as the vectors show them.
enum WireDescription {
    static func hex(_ bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "-" }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func hex(_ text: String) -> String { hex(Array(text.utf8)) }

    /// The type of a request and its fields before the secret.
    static func fields(ofRequest request: any AgentRequest) -> [String] {
        switch request {
        case let request as HelloRequest:
            ["hello", "\(request.protocolVersion)", hex(request.programVersion)]
        case is EndRequest: ["end"]
        case is StatusRequest: ["status"]
        case let request as UnlockRequest:
            [
                "unlock", "\(request.kind.rawValue)", flag(request.acceptsOlder),
                flag(request.acceptsOther),
            ]
        case let request as VerifyRequest: ["verify", "\(request.kind.rawValue)"]
        case is LockRequest: ["lock"]
        case is SettingsRequest: ["settings"]
        case let request as ChangeSettingRequest:
            ["change_setting", "\(request.setting.number)", "\(request.value)"]
        case is NoticesRequest: ["notices"]
        case is VerifyByFingerRequest: ["verify_by_finger"]
        case is CheckRequest: ["check"]
        case is BackgroundRequest: ["background"]
        case is GenerationRequest: ["generation"]
        case let request as ReaderRequest:
            ["reader", "\(request.process)", hex(request.application)]
        default: secretFields(request) ?? keyFields(request) ?? fileFields(request) ?? []
        }
    }

    private static func secretFields(_ request: any AgentRequest) -> [String]? {
        switch request {
        case let request as ReadRequest: ["read"] + fields(request.name)
        case let request as SaveRequest:
            ["save"] + fields(request.name) + fields(request.attributes)
        case let request as UpdateRequest:
            ["update"] + fields(request.name) + fields(request.edit)
                + fields(request.expectedRevision)
        case let request as EditRequest:
            ["edit"] + fields(request.name) + fields(request.edit)
                + fields(request.expectedRevision)
        case let request as RemoveRequest:
            ["remove"] + fields(request.name) + fields(request.expectedRevision)
                + [flag(request.isPermanent)]
        case is ListRequest: ["list"]
        case let request as DescribeRequest: ["describe"] + fields(request.name)
        case let request as SaveAllRequest:
            ["save_all", flag(request.isReplacing), "\(request.part)", flag(request.isLast)]
        case let request as HistoryRequest: ["history"] + fields(request.name)
        case let request as ReadEarlierRequest:
            ["read_earlier"] + fields(request.name) + ["\(request.revision)"]
        case is RemovedRequest: ["removed"]
        case let request as RestoreRequest:
            ["restore"] + fields(request.name) + ["\(request.revision)"]
        case let request as RestoreRemovedRequest:
            ["restore_removed", hex(request.id)] + optional(request.name) { fields($0) }
        case let request as FindRequest:
            ["find", "\(request.limit)"] + fields(request.search)
        case let request as ChangeRequest:
            ["change", "\(request.changes.count)"] + request.changes.flatMap(fields)
        default: nil
        }
    }

    private static func keyFields(_ request: any AgentRequest) -> [String]? {
        switch request {
        case is SlotsRequest: ["slots"]
        case let request as AddKeyRequest:
            ["add_key", "\(request.ownerKind.rawValue)", hex(request.record.bytes)]
        case let request as RenameKeyRequest: ["rename_key", hex(request.name)]
        case let request as RemoveSlotRequest:
            [
                "remove_slot", "\(request.ownerKind.rawValue)", hex(request.id),
                flag(request.keepsKeys),
            ]
        case let request as BeginPasskeyRequest:
            [
                "begin_passkey", flag(request.isRegistering), request.page.label,
                "\(request.page.port)",
            ]
        case let request as RegisterPasskeyRequest:
            [
                "register_passkey", hex(request.registration.clientData),
                hex(request.registration.attestationObject),
            ]
        case let request as UnlockByPasskeyRequest:
            ["unlock_by_passkey"] + fields(request.assertion)
                + [flag(request.acceptsOlder), flag(request.acceptsOther)]
        case let request as VerifyByPasskeyRequest:
            ["verify_by_passkey"] + fields(request.assertion)
        case let request as AddPasskeyRequest:
            ["add_passkey", "\(request.ownerKind.rawValue)"] + fields(request.assertion)
                + [hex(request.name)]
        default: nil
        }
    }

    private static func fileFields(_ request: any AgentRequest) -> [String]? {
        switch request {
        case let request as ListFilesRequest: ["list_files"] + fields(request.selection)
        case let request as EarlierFilesRequest:
            ["earlier_files"] + optional(request.id) { [$0] }
        case let request as BeginFileRequest:
            switch request.target {
            case .new(let name, let isProtected, let task):
                ["begin_file", "1", hex(name), flag(isProtected)] + optional(task) { [hex($0)] }
            case .replacing(let id): ["begin_file", "2", id]
            }
        case is AppendToFileRequest: ["append_to_file"]
        case is FinishFileRequest: ["finish_file"]
        case let request as ReadFileRequest:
            ["read_file", request.id] + fields(request.revision)
        case is NextChunkRequest: ["next_chunk"]
        case let request as EditFileRequest:
            ["edit_file", request.id] + optional(request.edit.name) { [hex($0)] }
                + optional(request.edit.isProtected) { [flag($0)] }
                + optional(request.edit.task) { optional($0) { [hex($0)] } }
        case let request as RemoveFileRequest:
            ["remove_file", request.id, flag(request.isPermanent)]
        case let request as RestoreFileRequest:
            switch request.version {
            case .revision(let revision): ["restore_file", request.id, "1", "\(revision)"]
            case .removed(let name):
                ["restore_file", request.id, "2"] + optional(name) { [hex($0)] }
            }
        case is FileSettingsRequest: ["file_settings"]
        case let request as ChangeFileSettingsRequest:
            ["change_file_settings"] + fields(request.known) + fields(request.new)
        default: nil
        }
    }

    /// The type of an answer and its fields before the secret.
    static func fields(ofAnswer answer: any AgentMessage) -> [String] {
        switch answer {
        case let hello as HelloAnswer:
            [
                "hello", "\(hello.protocolVersion)", hex(hello.programVersion),
                hex(hello.vaultID),
            ]
        case is DoneAnswer: ["done"]
        case let status as AgentStatus:
            [
                "status", flag(status.isUnlocked), flag(status.isVerified),
                flag(status.isMemoryLocked), flag(status.isRollbackRecordKept),
                "\(status.verificationLeft)", "\(status.idleTimeLeft)",
                "\(status.absoluteTimeLeft)", "\(status.processID)",
                "\(status.finger.rawValue)", flag(status.areFilesLimited),
            ]
        case let settings as VaultSettings:
            ["settings"]
                + VaultSetting.all.sorted { $0.number < $1.number }.map { "\(settings[$0])" }
        case let item as SecretItem: ["item"] + fields(item)
        case let answer as ValueAnswer: ["value"] + fields(answer.item)
        case let notices as AgentNotices:
            [
                "notices", "\(notices.restoredBackup ?? 0)", "\(notices.logFailure)",
                notices.hasOldValues ? "1" : "0",
            ]
        case let answer as SlotsAnswer:
            ["slots", "\(answer.slots.count)"] + answer.slots.flatMap(fields)
        case let challenge as PasskeyChallenge:
            ["passkey", hex(challenge.bytes), "\(challenge.choices.count)"]
                + challenge.choices.flatMap { [hex($0.id), hex($0.input)] }
        case let prompt as FingerPrompt:
            ["finger", "\(prompt.reason.rawValue)", "\(prompt.process)", hex(prompt.program)]
        case let file as StoredFile: ["file"] + fields(file)
        case is ChunkAnswer: ["chunk"]
        case let settings as FileSettings: ["file_settings"] + fields(settings)
        case let generation as StoreGeneration:
            ["generation", "\(generation.counter)", "\(generation.sessionSecrets)"]
        case let failure as WireFailure: ["failure"] + fields(failure)
        default: pageFields(answer) ?? []
        }
    }

    private static func pageFields(_ answer: any AgentMessage) -> [String]? {
        switch answer {
        case let page as ListPage<SecretItem>:
            ["items", "\(page.elements.count)"] + page.elements.flatMap(fields)
        case let page as ListPage<RefusedSecret>:
            ["refused", "\(page.elements.count)"]
                + page.elements.flatMap { ["\($0.place)"] + fields($0.failure) }
        case let page as ListPage<EarlierSecret>:
            ["earlier", "\(page.elements.count)"]
                + page.elements.flatMap { [hex($0.id)] + fields($0.item) + ["\($0.moved)"] }
        case let page as ListPage<StoredFile>:
            ["files", "\(page.elements.count)"] + page.elements.flatMap(fields)
        case let page as ListPage<EarlierFile>:
            ["earlier_files", "\(page.elements.count)"]
                + page.elements.flatMap { fields($0.file) + ["\($0.moved)"] }
        default: nil
        }
    }

    private static func flag(_ flag: Bool) -> String { flag ? "1" : "0" }

    private static func fields(_ selection: FileSelection) -> [String] {
        switch selection {
        case .all(let order): ["1", number(order)]
        case .named(let name): ["2", hex(name)]
        case .task(let task): ["3", hex(task)]
        }
    }

    private static func fields(_ settings: FileSettings) -> [String] {
        [number(settings.order), settings.showsSizes ? "1" : "0"]
    }

    private static func number(_ order: FileOrder) -> String {
        "\((FileOrder.allCases.firstIndex(of: order) ?? -1) + 1)"
    }

    private static func fields(_ file: StoredFile) -> [String] {
        [
            file.id, hex(file.name), file.isProtected ? "1" : "0", "\(file.size)",
            hex(file.mediaType),
        ]
            + optional(file.pixels) { ["\($0.width)", "\($0.height)"] }
            + optional(file.task) { [hex($0)] }
            + ["\(file.added)", "\(file.modified)", "\(file.revision)"]
    }

    private static func optional<Part>(_ part: Part?, _ fields: (Part) -> [String]) -> [String] {
        part.map { ["1"] + fields($0) } ?? ["0"]
    }

    private static func fields(_ assertion: PasskeyAssertion) -> [String] {
        [
            hex(assertion.credentialID), hex(assertion.clientData),
            hex(assertion.authenticatorData), hex(assertion.signature),
        ]
    }

    private static func fields(_ slot: KeySlotDescription) -> [String] {
        [
            hex(slot.id), "\(slot.kind.rawValue)", "\(slot.cost.passes)",
            "\(slot.cost.memoryKiB)", hex(slot.record?.bytes ?? []),
        ]
    }

    private static func fields(_ search: SecretSearch) -> [String] {
        switch search {
        case .entry(let service, let account): ["1", hex(service), hex(account)]
        case .exact(let text): ["2", hex(text)]
        case .whole(let text): ["3", hex(text)]
        case .part(let text): ["4", hex(text)]
        }
    }

    private static func fields(_ change: SecretChange) -> [String] {
        let action =
            switch change.action {
            case .edit(let edit): ["1"] + fields(edit)
            case .remove(let isPermanent): ["2", isPermanent ? "1" : "0"]
            }
        return fields(change.name) + fields(change.revision) + action
    }

    private static func fields(_ failure: WireFailure) -> [String] {
        [hex(failure.code), "\(failure.numbers.count)"] + failure.numbers.map { "\($0)" }
            + ["\(failure.texts.count)"] + failure.texts.map(hex)
    }

    private static func fields(_ name: SecretName) -> [String] {
        [hex(name.service), hex(name.account), hex(name.field)]
    }

    private static func fields(_ attributes: SecretAttributes) -> [String] {
        ["\(attributes.accessClass.rawValue)", hex(attributes.label)] + fields(attributes.extra)
    }

    private static func fields(_ extra: [ExtraAttribute]) -> [String] {
        ["\(extra.count)"] + extra.map { hex($0.key) + "=" + hex($0.text) }
    }

    private static func fields(_ edit: SecretEdit) -> [String] {
        var flags = 0
        var words: [String] = []
        if let name = edit.name {
            flags += 1
            words += self.fields(name)
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
            words += self.fields(extra)
        }
        return ["\(flags)"] + words
    }

    private static func fields(_ revision: UInt64?) -> [String] {
        revision.map { ["1", "\($0)"] } ?? ["0"]
    }

    private static func fields(_ item: SecretItem) -> [String] {
        fields(item.name) + fields(item.attributes)
            + ["\(item.revision)", "\(item.created)", "\(item.modified)"]
    }
}
