public import SecureStorage
internal import TextCoding

/// The place of the logs of reads of this machine.
public struct ReadLogPlace: Sendable {
    /// The folder, absolute.
    public let folder: String
    /// The folder with this machine's id. Without it, no log was ever started on this machine.
    let machineFolder: String
    /// The id of this machine, in hexadecimal digits.
    public let machine: @Sendable () throws -> String
    /// The size at which a file becomes the former one, in bytes.
    var fullSize = 4_194_304

    /// Creates a place. The first read creates the folder with mode 0700.
    public init(
        folder: String, machineFolder: String, machine: @escaping @Sendable () throws -> String
    ) {
        self.folder = folder
        self.machineFolder = machineFolder
        self.machine = machine
    }

    /// The current file of a vault's log.
    public func file(of vaultID: [UInt8]) -> String { folder + "/" + Hexadecimal.text(vaultID) }

    /// The files of a vault's log: the former one, which may be missing, and the current one.
    public func log(of vaultID: [UInt8]) -> [String] {
        [Self.former(file(of: vaultID)), file(of: vaultID)]
    }

    /// All files of a vault.
    public func files(of vaultID: [UInt8]) -> [String] {
        let files = log(of: vaultID)
        return files + files.map(Self.old) + [drawnKey(of: vaultID)]
    }

    /// The former file, which became full.
    static func former(_ file: String) -> String { file + ".1" }

    /// The name of a file whose key the vault no longer has.
    static func old(_ file: String) -> String { file + ".old" }

    /// The file of a key that the vault does not store yet.
    func drawnKey(of vaultID: [UInt8]) -> String { file(of: vaultID) + ".key" }

    /// The vault's item with the secret key of this machine's log.
    public func keyName() throws -> SecretName { try name("key") }

    /// The vault's item with the size and chain of this machine's log.
    public func headName() throws -> SecretName { try name("head") }

    private func name(_ field: String) throws -> SecretName {
        try SecretName(service: SecretName.readsService, account: machine(), field: field)
    }
}
