internal import Platform
internal import Sealing
internal import TextCoding

extension VaultFolders {
    /// The digest of the vault's place, for the names of folders in the state folder.
    var placeDigest: String {
        get throws {
            let home = try SafeFolder.resolveExistingPart(FileSystem.absolute(file))
            let digest = Blake2b.hash(size: 32) { unsafe $0.feed(home.utf8Span.span.bytes) }
            return Hexadecimal.text(Array(digest.prefix(8)))
        }
    }

    /// The folder in which this machine keeps messages until the vault is unlocked.
    ///
    /// - Throws: A failure of wrong usage if no folder is known; `SystemFailure`.
    package var inbox: String {
        get throws {
            guard let state else {
                throw Failure.usage("no home folder is known", hint: "set HOME")
            }
            return try state + "/inbox/" + placeDigest
        }
    }
}
