internal import Application
internal import CommandLine
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import TextCoding
internal import VaultCore

/// `secret export`: writes all secrets in plaintext.
enum ExportSecretsCommand: Command {
    private static let everything = OptionDescription(
        "all",
        """
        also items of programs and of the inbox, the text of protected tasks, and passwords and tokens of the sign-in
        """)

    static let description = CommandDescription(
        path: ["secret", "export"],
        summary: "write all secrets in plaintext",
        options: [.exportFormat, .exportedFile, everything],
        notes: [
            """
            Always asks for the passphrase, and warns: the export is not encrypted, and anyone who can read it has all secrets.
            """,
            "A spreadsheet may run a field of the CSV file that begins with =, +, - or @ as a formula: import the fields as text.",
            "The format keepassxc is KeePass XML, which KeePassXC and KeePass import. It cannot hold values that are not text; a warning names them.",
        ],
        examples: [
            .init("taskvault secret export --output secrets.json", "to a file of mode 0600"),
            .init(
                "taskvault secret export --format csv | age -p > secrets.age", "encrypted by age"),
            .init(
                "taskvault secret export --format keepassxc --output secrets.xml",
                "for KeePassXC: keepassxc-cli import -p secrets.xml NEW.kdbx"),
        ],
        exitCodes: .opening + [.alreadyExists])

    /// The number of values that a warning names.
    private static let shownCount = 20

    static func run(_ context: CommandContext) throws {
        let format = ExportFormat(named: context.invocation.text(of: .exportFormat))
        let target = try ExportTarget(context)
        try context.vault.withUnlockedVault(.reading) { vault, _ in
            context.console.notices.warn(
                "not_encrypted",
                "the export is not encrypted: anyone who can read it has all secrets; remove it after use"
            )
            let leftOut = try target.write { descriptor in
                try export(vault, as: format, to: descriptor, context)
            }
            if leftOut.programs > 0 {
                context.console.notices.warn(
                    "left_out_programs",
                    "left out: items of programs (\(leftOut.programs)); --all exports them")
            }
            if leftOut.items > 0 {
                context.console.notices.warn(
                    "left_out_reserved",
                    "left out: items of tasks, of the inbox and of the sign-in (\(leftOut.items)); --all exports them"
                )
            }
            if !leftOut.values.isEmpty {
                let rest = leftOut.values.count - shownCount
                context.console.notices.warn(
                    "left_out_values",
                    "left out: values that are not text (\(leftOut.values.count)): "
                        + leftOut.values.prefix(shownCount).joined(separator: "; ")
                        + (rest > 0 ? "; and \(rest) more" : "") + "; --format json exports them")
            }
            if leftOut.files > 0 {
                context.console.notices.warn(
                    "left_out_files",
                    "left out: \(counted(leftOut.files, "file")); \(context.folders.command("file get NAME")) writes one out"
                )
            }
        }
    }

    /// The numbers of what an export leaves out.
    private struct LeftOut {
        /// Items that programs stored over D-Bus.
        var programs = 0
        /// Other items of TaskVault.
        var items = 0
        var files = 0
        /// The names of values that the format cannot hold.
        var values: [String] = []
    }

    /// Exports the secrets.
    private static func export(
        _ vault: UnlockedVault, as format: ExportFormat, to descriptor: Int32,
        _ context: CommandContext
    ) throws -> LeftOut {
        let output = ExportOutput(descriptor: descriptor)
        let isWhole = context.invocation.has(everything)
        var leftOut = LeftOut()
        var exporter: SecretExporter?
        var failure: (any Error)?
        func isExported(_ item: SecretItem) -> Bool {
            switch item.name.service {
            // The keys of a machine's backups and log are useless elsewhere. The key of a file is useless without its content.
            case ReservedService.backup, SecretName.readsService: return false
            case SecretName.fileService:
                leftOut.files += 1
                return false
            default: break
            }
            if isWhole || !item.name.isReserved { return true }
            if item.name.isOfProgram { leftOut.programs += 1 } else { leftOut.items += 1 }
            return false
        }
        // One snapshot contains a renamed secret only once. All items are verified before the first byte is written, because a partial
        // export looks complete.
        try vault.forEachValue(of: isExported) { item, value in
            do {
                if exporter == nil { exporter = try SecretExporter(format, to: output.write) }
                if try exporter?.write(item, value) == false {
                    leftOut.values.append(item.name.typed)
                }
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        if exporter == nil { exporter = try SecretExporter(format, to: output.write) }
        try exporter.take()?.finish()
        return leftOut
    }
}

/// The output of an export: unchanged into a pipe or file, with control characters visible on a terminal.
private final class ExportOutput {
    private var output: Output
    /// The bytes of an incomplete character, three at most. The rest follows in the next piece.
    private var tail: [UInt8] = []

    init(descriptor: Int32) {
        output = Output(descriptor: descriptor)
    }

    func write(_ bytes: RawSpan) throws {
        guard output.isTerminal else { return try output.write(secret: bytes) }
        let joined = try SecretBytes(joining: tail, bytes)
        try joined.withBytes { bytes in
            let whole = bytes.byteCount - bytes.sizeOfUnfinishedCharacter
            tail = bytes.extracting(whole...).array
            try VisibleText.write(
                secret: bytes.extracting(..<whole), keepingLines: true, to: &output)
        }
        try output.flush()
    }
}

extension SecretBytes {
    /// Joins two byte sequences in guarded memory.
    fileprivate init(joining first: [UInt8], _ second: RawSpan) throws {
        try self.init(count: first.count + second.byteCount)
        withMutableBytes { joined in
            for (offset, byte) in first.enumerated() {
                joined.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            }
            for offset in 0..<second.byteCount {
                joined.storeBytes(
                    of: second[offset], toByteOffset: first.count + offset, as: UInt8.self)
            }
        }
    }
}

extension RawSpan {
    /// The number of bytes at the end that begin an incomplete UTF-8 character.
    fileprivate var sizeOfUnfinishedCharacter: Int {
        for size in 1..<4 where size <= byteCount {
            let first = self[byteCount - size]
            if first & 0xC0 == 0x80 { continue }
            let needed = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
            return needed > size ? size : 0
        }
        return 0
    }
}

extension OptionDescription {
    static let exportFormat = OptionDescription(
        "format", .choice("FORMAT", ["json", "csv", "keepassxc"]), "the format to write",
        standard: "json")
}

extension ExportFormat {
    /// The format with a name of the option.
    fileprivate init(named name: String?) {
        switch name {
        case "csv": self = .csv
        case "keepassxc": self = .keePassXML
        default: self = .json
        }
    }
}
