internal import Application
internal import CommandLine
internal import SecureStorage
internal import TextCoding

/// `device list`: lists the devices of the group.
enum ListDevicesCommand: Command {
    static let description = CommandDescription(
        path: ["device", "list"],
        summary: "list the devices that sync with this one",
        notes: ["Works while the vault is locked."],
        examples: [
            .init("taskvault device list", "names, and when each was last heard"),
            .init("taskvault device list --json", "for a program"),
        ],
        exitCodes: .syncing, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let devices = try context.application.sync.status().devices
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in
                try json.beginObject()
                try json.devices(devices)
                try json.endObject()
            }
        }
        var table = TextTable([
            .init("ID", isWhole: true), .init("HEARD", isWhole: true),
            .init("NAME", takesRest: true),
        ])
        for device in devices {
            table.add([
                String(device.id.prefix(8)),
                device.isOwn
                    ? "this device"
                    : device.heard.map { Timestamp.rfc3339(milliseconds: $0) } ?? "-",
                device.name,
            ])
        }
        try context.console.print(table)
    }
}

/// `device rename`: gives a device another name.
enum RenameDeviceCommand: Command {
    private static let newName = OperandDescription("NEW-NAME", "the new name")

    static let description = CommandDescription(
        path: ["device", "rename"],
        summary: "rename a device, on all devices",
        operands: [.device, newName],
        notes: ["Requires verification."],
        examples: [.init("taskvault device rename laptop 'old laptop'", "after buying another")],
        exitCodes: .enabling, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let name = context.invocation.text(of: newName)
        let sync = context.application.sync
        let device = try sync.member(context.invocation.text(of: .device))
        try context.vault.withStore(.changing) { store in
            try context.vault.requireVerified(store)
            try sync.rename(device, to: name, store)
        }
        try context.report(device, "renamed \(device.shownName) to \(name)")
    }
}

/// `device remove`: removes a device from the group.
enum RemoveDeviceCommand: Command {
    /// The number of entries that a terminal shows.
    private static let shownSecrets = 100

    static let description = CommandDescription(
        path: ["device", "remove"],
        summary: "remove a device: it gets no change made from now on",
        operands: [.device],
        options: [.yes],
        notes: [
            """
            New keys are made at once, and later changes of that device are ignored. It keeps what it has: if it was lost or stolen, change \
            the passwords that it could read, and restore nothing from it.
            """,
            "Requires verification. To end sync on this machine, use taskvault sync disable.",
        ],
        examples: [.init("taskvault device remove phone", "after losing it")],
        exitCodes: .syncing, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let sync = context.application.sync
        let device = try sync.member(context.invocation.text(of: .device))
        guard !device.isOwn else {
            throw Failure(
                .refused, code: "own_device", "\(device.shownName) is this device",
                hint: context.folders.command("sync disable"))
        }
        try context.console.requireConsent(
            to: "remove the device \(device.shownName)",
            "Remove \(device.shownName)? It gets nothing new, and its later changes are ignored")
        let secrets = try context.vault.withStore(.changing) { store in
            try context.vault.requireVerified(store)
            try context.vault.verifying(store) { try sync.remove(device, store) }
            return try sync.readable(store)
        }
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in
                try json.beginObject()
                try json.member("id", device.id)
                try json.member("name", device.name)
                try json.key("could_read")
                try json.beginArray()
                for name in secrets {
                    try json.beginObject()
                    try json.member("service", name.service)
                    try json.member("account", name.account)
                    try json.endObject()
                }
                try json.endArray()
                try json.endObject()
            }
        }
        try context.console.printLine("removed \(device.shownName)")
        guard !secrets.isEmpty else { return }
        try context.console.printLine(
            "it could read \(counted(secrets.count, "secret")) up to now. If it is in other hands, change them, the most important ones first:"
        )
        try context.console.print { output in
            for name in secrets.prefix(shownSecrets) {
                try output.writeLine(VisibleText.escape("  \(name.service) \(name.account)"))
            }
        }
        if secrets.count > shownSecrets {
            try context.console.printLine(
                "and \(secrets.count - shownSecrets) more: \(context.folders.command("secret list"))"
            )
        }
    }
}

extension CommandContext {
    /// Prints the result for a device: a line, or the device in JSON.
    func report(_ device: SyncMember, _ line: String) throws {
        guard console.isJSON else { return try console.printLine(line) }
        try console.printJSON { json in
            try json.beginObject()
            try json.member("id", device.id)
            try json.member("name", device.name)
            try json.endObject()
        }
    }
}

extension OperandDescription {
    static let device = OperandDescription(
        "DEVICE", "the name of the device, or a unique beginning of its id")
}
