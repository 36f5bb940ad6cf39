import Platform
import Sealing
import SecretMemory
import SecureStorage
import TestSupport
import VaultCore
import VaultStorage

/// Writes to a vault until it is killed, or a given number of times: the other process in the tests of durability.
///
///     TestTools write steps FILE FIRST        runs step FIRST and all after it, and prints the number of each once it is durable
///     TestTools write tidy FILE EVERY         the same from step 0, and moves the log into the file after each EVERY steps
///     TestTools write files FILE FIRST        as steps, with changes of files
///     TestTools write insist FILE TIMES       runs steps 0 to TIMES - 1, each until it is done, and prints `done` or `failed` for each attempt
///     TestTools write count FILE TIMES        adds 1 to the number in an item, TIMES times, against others who do the same
///     TestTools write random FILE TIMES SEED  runs TIMES random operations, and prints a line of history for each
///
/// Reads the recovery code from standard input.
enum WriterTool {
    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 3, let number = Int(arguments[2]),
            let code = readLine()
        else { exit(2) }
        let storage = try VaultDatabase.openFile(at: arguments[1], mode: .readWrite)
        let proof = VaultSecret.recoveryCode(try RecoveryCode(typed: Samples.secret(code)))

        switch arguments[0] {
        case "steps", "tidy":
            let vault = try LockedVault(storage, TestVault.environment()).unlock(with: proof)
            let isTidy = arguments[0] == "tidy"
            for step in (isTidy ? 0 : number)... {
                try WriterSteps.run(step, on: vault)
                if isTidy, step % number == 0 { _ = try storage.eraseOldBytes() }
                printLine("\(step)")
            }
        case "files":
            let vault = try LockedVault(storage, TestVault.environment()).unlock(with: proof)
            for step in number... {
                try FileSteps.run(step, on: vault)
                printLine("\(step)")
            }
        case "insist":
            let vault = try LockedVault(storage, TestVault.environment()).unlock(with: proof)
            for step in 0..<number {
                do {
                    try WriterSteps.run(step, on: vault)
                } catch {
                    printLine("failed")
                    // It was done all the same, or nothing of it was. Then it works now.
                    if try WriterSteps.contents(of: vault) != WriterSteps.model(after: step + 1) {
                        try WriterSteps.run(step, on: vault)
                    }
                }
                printLine("done")
            }
            vault.lock()
            storage.close()
        case "count":
            let vault = try LockedVault(storage, TestVault.environment()).unlock(with: proof)
            let name = try SecretName(service: "counter", account: "shared")
            for _ in 0..<number {
                var isDone = false
                while !isDone {
                    let (value, revision) = try vault.read(name) {
                        (item, value) throws(SecureStoreError) in
                        (
                            Int(String(decoding: Samples.bytes(value), as: UTF8.self)) ?? -1,
                            item.revision
                        )
                    }
                    do {
                        try vault.update(
                            name, to: Samples.secret("\(value + 1)"), expecting: revision)
                        isDone = true
                    } catch SecureStoreError.conflict {
                        continue
                    }
                }
            }
            vault.lock()
            storage.close()
        case "random":
            guard let seed = UInt64(arguments.last ?? "") else { exit(2) }
            try RandomWriter.run(storage, proof: proof, seed: seed, count: number)
            storage.close()
        default:
            exit(2)
        }
    }

    private static func printLine(_ text: String) {
        let line = Array((text + "\n").utf8)
        guard unsafe write(1, line, line.count) == line.count else { exit(1) }
    }
}
