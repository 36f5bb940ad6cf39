internal import Platform
internal import Sealing
public import SecretMemory
public import SecureStorage
internal import TextCoding

/// The place of the logs of reads of this machine.
public struct ReadLogPlace: Sendable {
    /// The folder, absolute.
    public let folder: String
    /// The id of this machine, in hexadecimal digits.
    public let machine: @Sendable () throws -> String
    /// The size at which a file becomes the former one, in bytes.
    var fullSize = 4_194_304

    /// Creates a place. The first read creates the folder with mode 0700.
    public init(folder: String, machine: @escaping @Sendable () throws -> String) {
        self.folder = folder
        self.machine = machine
    }

    /// The current file of a vault's log. A copy of the vault that has another key has another file.
    public func file(of vaultID: [UInt8], under secretKey: borrowing SecretBytes) throws -> String {
        file(of: vaultID, publicKey: BoxKeyPair(secretKey: try secretKey.copy()).publicKey)
    }

    func file(of vaultID: [UInt8], publicKey: [UInt8]) -> String {
        let name = Blake2b.hash(size: 16) { $0.feed(publicKey) }
        return folder + "/" + Hexadecimal.text(vaultID) + "-" + Hexadecimal.text(name)
    }

    /// The files of a log: the former one, which may be missing, and the current one.
    public static func log(_ file: String) -> [String] { [former(file), file] }

    /// All files of a vault and of its copies.
    public func files(of vaultID: [UInt8]) -> [String] {
        let start = Hexadecimal.text(vaultID)
        return ((try? FileSystem.names(in: folder)) ?? []).filter { $0.hasPrefix(start) }
            .map { folder + "/" + $0 }
    }

    /// The former file, which became full.
    static func former(_ file: String) -> String { file + ".1" }

    /// The vault's item with the secret key of this machine's log.
    public func keyName() throws -> SecretName { try name("key") }

    /// The vault's item with the size and chain of this machine's log.
    public func headName() throws -> SecretName { try name("head") }

    private func name(_ field: String) throws -> SecretName {
        try SecretName(service: SecretName.readsService, account: machine(), field: field)
    }
}
