internal import Application
internal import CommandLine
internal import Passkeys
internal import Sealing
internal import SecretMemory
internal import TextCoding
internal import VaultAgent
internal import VaultCore

/// `passkey-begin`: makes the challenge of a registration or an assertion on the app's page.
enum BeginPasskeyCommand: Command {
    static let description = CommandDescription(
        path: ["passkey-begin"], summary: "make a challenge",
        options: [.hostLabel, .port, .registering],
        examples: [], exitCodes: .opening, traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        guard let port = context.invocation.number(of: .port).flatMap({ UInt16(exactly: $0) }),
            let page = PageOrigin(label: context.invocation.text(of: .hostLabel) ?? "", port: port)
        else { throw Failure.usage("missing origin of the page") }
        try context.console.print(
            try context.passkeyAgent().beginPasskey(
                registering: context.invocation.has(.registering), page: page))
    }
}

/// `passkey-register`: completes a registration. The assertion of the printed challenge must follow.
enum RegisterPasskeyCommand: Command {
    static let description = CommandDescription(
        path: ["passkey-register"], summary: "take a new passkey",
        options: [.clientData, .attestation], examples: [], exitCodes: .opening,
        traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        let registration = PasskeyRegistration(
            clientData: try context.bytes(of: .clientData),
            attestationObject: try context.bytes(of: .attestation))
        try context.console.print(try context.passkeyAgent().finish(registration))
    }
}

/// `passkey-add`: adds the slot of a new passkey. The passphrase file has the passphrase, then the PRF output in Base64.
enum AddPasskeyCommand: Command {
    static let description = CommandDescription(
        path: ["passkey-add"], summary: "add the slot of a passkey",
        options: OptionDescription.assertion + [.keyLabel], examples: [], exitCodes: .opening,
        traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        let label = context.invocation.text(of: .keyLabel) ?? ""
        try context.requireLabel(label)
        let source = try context.console.passphrases()
        let secret = try source.vaultSecret(.passphrase)
        let output = try context.passkeyOutput(source)
        let agent = try context.passkeyAgent()
        try agent.addPasskey(
            try context.assertion(), output: output, name: label, verifiedBy: secret)
        try context.printKeys()
    }
}

/// `passkey-rename`: changes the label of a passkey, from which the slot's secret is derived. The passphrase file has the PRF output in
/// Base64.
enum RenamePasskeyCommand: Command {
    static let description = CommandDescription(
        path: ["passkey-rename"], summary: "rename a passkey",
        options: OptionDescription.assertion + [.keyLabel], examples: [],
        exitCodes: .opening + [.alreadyExists], traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        let label = context.invocation.text(of: .keyLabel) ?? ""
        try context.requireLabel(label)
        let assertion = try context.assertion()
        let output = try context.passkeyOutput(try context.console.passphrases())
        // The agent checks the page, the challenge and the person.
        try context.passkeyAgent().verify(by: assertion, output: output)
        let secret = VaultSecret.authenticator(AuthenticatorOutput(try output.copy()))
        try context.vault.withStorage(.changing) { storage in
            _ = try context.vault.locked(storage).authenticate(with: secret)
                .renameKey(to: label, with: secret)
        }
        try context.printKeys()
    }
}

/// `passkey-use`: unlocks or verifies with a passkey. The passphrase file has the PRF output in Base64.
enum UsePasskeyCommand: Command {
    static let description = CommandDescription(
        path: ["passkey-use"], summary: "unlock or verify by a passkey",
        options: OptionDescription.assertion + [.verifying], examples: [], exitCodes: .opening,
        traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        let assertion = try context.assertion()
        let output = try context.passkeyOutput(try context.console.passphrases())
        let agent = try context.passkeyAgent()
        let isVerifying = context.invocation.has(.verifying)
        let status =
            isVerifying
            ? try agent.verify(by: assertion, output: output)
            : try agent.unlock(
                by: assertion, output: output,
                acceptsOlder: context.application.options.acceptsOlder,
                acceptsOther: context.application.options.acceptsOther)
        context.vault.saveBackupKey(agent)
        try SessionReport(context).print("unlocked", status)
        if !isVerifying { context.application.takeWaiting(after: agent, online: false) }
    }
}

extension CommandContext {
    /// Prints the keys that open the vault now.
    fileprivate func printKeys() throws {
        let report = try vault.slots().onlyKeys
        try console.printJSON { json in
            try json.beginObject()
            try json.member("keys", report)
            try json.endObject()
        }
    }

    /// Connects to the agent, and starts one if a vault exists and no agent runs.
    fileprivate func passkeyAgent() throws -> AgentClient {
        try vault.requireHeader()
        return try vault.agent() ?? AgentLauncher(vault).start()
    }

    func assertion() throws -> PasskeyAssertion {
        PasskeyAssertion(
            credentialID: try bytes(of: .credential), clientData: try bytes(of: .clientData),
            authenticatorData: try bytes(of: .authenticatorData),
            signature: try bytes(of: .signature))
    }

    /// The output of the WebAuthn extension `prf`, from the next line of the source.
    fileprivate func passkeyOutput(_ source: any SecretSource) throws -> SecretBytes {
        let text = try source.secret("", "the output of the passkey")
        guard let output = try text.withBytes({ try Base64.secret(of: $0) }) else {
            throw Failure.usage("the output of the passkey is not Base64")
        }
        return output
    }

    /// Decodes the Base64 value of an option.
    func bytes(of option: OptionDescription) throws -> [UInt8] {
        let text = invocation.text(of: option) ?? ""
        guard let bytes = Base64.bytes(of: text, .any) else {
            throw Failure.usage("\(option.spelling) is not Base64")
        }
        return bytes
    }
}

extension Console {
    /// Prints a challenge with the parameters for the browser.
    fileprivate func print(_ challenge: PasskeyChallenge) throws {
        try printJSON { json in
            try json.beginObject()
            try json.key("challenge_base64")
            unsafe try json.base64(secret: challenge.bytes.span.bytes)
            try json.member("rp_id", PasskeyCeremonies.relyingPartyID)
            try json.key("credentials")
            try json.beginArray()
            for choice in challenge.choices {
                try json.beginObject()
                try json.key("id_base64")
                unsafe try json.base64(secret: choice.id.span.bytes)
                try json.key("input_base64")
                unsafe try json.base64(secret: choice.input.span.bytes)
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
        }
    }
}

extension OptionDescription {
    /// The parts of an assertion.
    static let assertion = [credential, clientData, authenticatorData, signature]

    static let hostLabel = OptionDescription(
        "host-label", .text("LABEL"), "the first label of the page's host")
    static let port = OptionDescription(
        "port", .number("PORT", 1...65_535), "the port of the page")
    fileprivate static let registering = OptionDescription("registering", "for a new passkey")
    fileprivate static let verifying = OptionDescription(
        "verifying", "verify the owner of the unlocked vault")
    static let credential = OptionDescription(
        "credential", .text("BASE64"), "the id of the passkey")
    static let clientData = OptionDescription(
        "client-data", .text("BASE64"), "what the browser says")
    static let attestation = OptionDescription(
        "attestation", .text("BASE64"), "the attestation object")
    fileprivate static let authenticatorData = OptionDescription(
        "authenticator-data", .text("BASE64"), "what the authenticator says")
    fileprivate static let signature = OptionDescription(
        "signature", .text("BASE64"), "its signature")
}
