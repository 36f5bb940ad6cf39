import Foundation
import SQLite
import SecureStorage
import VaultCore

ProcessHardening.apply()
let scratch = FileManager.default.temporaryDirectory.path + "/consumer-\(UUID().uuidString)"
let (folder, state) = (scratch + "/vault", scratch + "/state")
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: scratch) }

// From here on as in Docs/Library.md.
func secret(_ text: String) throws -> SecretBytes {
    try SecretBytes(copying: Array(text.utf8).span.bytes)
}
func passphrase() throws -> Passphrase { try Passphrase(typed: secret("four words rarely mixed")) }

let path = folder + "/vault.db"
let records = FileRollbackRecords(folder: state + "/rollback", place: path)
let environment = VaultEnvironment(rollbackRecords: records)
let recoveryCode = try VaultFile.create(at: path, environment, passphrase: passphrase())
let vault = try VaultFile.open(at: path, environment).unlock(with: .passphrase(passphrase()))
let name = try SecretName(service: "mail.example", account: "ada")
try vault.save(secret("swordfish-42"), as: name, SecretAttributes(label: "Mail at home"))
try vault.read(name) { item, value in print("\(item.attributes.label): \(value.count) bytes") }
vault.lock()
// To here.

print("the consumer's own module is still its own: \(SQLite.file(in: "notes"))")
