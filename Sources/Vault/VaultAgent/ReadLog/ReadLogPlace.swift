public import SecureStorage
internal import TextCoding

/// The place of the logs of reads of this machine.
public struct ReadLogPlace: Sendable {
    /// The folder, absolute.
    public let folder: String
    /// The folder that has this machine's id; without it, no log was ever begun here.
    let machineFolder: String
    /// The id of this machine, in hexadecimal digits.
    public let machine: @Sendable () throws -> String
    /// A file of this size, in bytes, becomes the former one.
    var fullSize = 4_194_304

    /// Names a place. The folder is made with mode 0700 at the first read.
    public init(
        folder: String, machineFolder: String, machine: @escaping @Sendable () throws -> String
    ) {
        self.folder = folder
        self.machineFolder = machineFolder
        self.machine = machine
    }

    /// The file of a vault's log, at whose end it goes on.
    public func file(of vaultID: [UInt8]) -> String { folder + "/" + Hexadecimal.text(vaultID) }

    /// The files of a vault's log: the former one, which may be missing, and the one that goes on.
    public func log(of vaultID: [UInt8]) -> [String] {
        [Self.former(file(of: vaultID)), file(of: vaultID)]
    }

    /// All files of a vault.
    public func files(of vaultID: [UInt8]) -> [String] {
        let files = log(of: vaultID)
        return files + files.map(Self.old) + [drawnKey(of: vaultID)]
    }

    /// The file that was full before another one was begun.
    static func former(_ file: String) -> String { file + ".1" }

    /// The name of a file whose key the vault has no more.
    static func old(_ file: String) -> String { file + ".old" }

    /// The file of the key that is not in the vault yet.
    func drawnKey(of vaultID: [UInt8]) -> String { file(of: vaultID) + ".key" }

    /// The vault's item with the secret key of this machine's log.
    public func keyName() throws -> SecretName { try name("key") }

    /// The vault's item with size and chain of this machine's log.
    public func headName() throws -> SecretName { try name("head") }

    private func name(_ field: String) throws -> SecretName {
        try SecretName(service: SecretName.readsService, account: machine(), field: field)
    }
}
