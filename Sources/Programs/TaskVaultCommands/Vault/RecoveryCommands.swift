internal import Application
internal import CommandLine
internal import SecretMemory
internal import VaultCore

/// `recovery show-new`: replaces the recovery code by a new one.
enum ShowNewRecoveryCodeCommand: Command {
    static let description = CommandDescription(
        path: ["recovery", "show-new"],
        summary: "create a new recovery code and print it once",
        options: [.recovery],
        notes: [
            """
            The old code no longer opens this file, but still opens copies from before. The keys in such a copy also open what is saved here \
            later, until taskvault rekey replaces them.
            """,
            """
            Where this home syncs, the code also lets a new machine join when all devices are lost: sync join --recovery-code. Of all \
            devices, only the code that was made last does.
            """,
        ],
        examples: [.init("taskvault recovery show-new", "after losing the code")],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws { try context.replaceRecoveryCode() }
}

/// `recovery revoke`: removes the recovery code.
enum RevokeRecoveryCodeCommand: Command {
    static let description = CommandDescription(
        path: ["recovery", "revoke"],
        summary: "remove the recovery code",
        options: [.keepKeys],
        notes: [
            """
            Afterwards a forgotten passphrase means lost secrets, until show-new creates a new code.
            """,
            """
            Replaces the keys and encrypts every secret again, in one step. The code then opens only copies of the file from before. With \
            --keep-keys the keys in such a copy also open what is saved here later, until taskvault rekey replaces them.
            """,
            """
            Where this home syncs, no recovery code opens the group afterwards, and its devices get new keys.
            """,
        ],
        examples: [.init("taskvault recovery revoke", "after the code leaked")],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        try context.vault.withAuthenticatedVault { vault, slots, _ in
            // First the group, whose folder may be away. Run again, it has nothing to do there.
            if context.application.sync.isEnabled,
                slots.contains(where: { $0.kind == .recoveryCode }),
                slots.contains(where: { $0.kind == .passphrase })
            {
                let unlocked = vault.unlocked()
                defer { unlocked.lock() }
                try context.application.sync.revokeRecoveryCode(
                    OpenStore(secrets: unlocked, agent: nil))
            }
            let isKeeping = context.invocation.has(.keepKeys)
            let oldBytes = try context.changeKeys(of: vault, keepingKeys: isKeeping) {
                vault, progress in
                try vault.revokeSlots(.recoveryCode, keepingKeys: isKeeping, progress: progress)
            }
            try KeyReport(context).print(
                "removed the recovery code", ending: "the code", keepingKeys: isKeeping, oldBytes)
        }
    }
}

extension CommandContext {
    /// Replaces the recovery code of the vault, and of the group if this home syncs, and prints it once.
    func replaceRecoveryCode() throws {
        try vault.withAuthenticatedVault { opened, _, _ in
            let made = try opened.replaceRecoveryCode()
            let text = try made.code.text()
            try KeyReport(self).print(
                "created a new recovery code", ending: "the old one", keepingKeys: true,
                made.oldBytes, code: consume text)
            guard application.sync.isEnabled else { return }
            let unlocked = opened.unlock()
            defer { unlocked.lock() }
            do {
                try application.sync.use(made.code, OpenStore(secrets: unlocked, agent: nil))
            } catch {
                let failure = errors.failure(error)
                throw Failure(
                    failure.exitCode, code: failure.code,
                    "the code opens this vault, and not yet the group: \(failure.message)",
                    hint: "\(folders.command("recovery show-new")) again, when that is mended")
            }
        }
    }
}
