package import HTTPClient
internal import Inbox
internal import Platform
internal import Sealing
package import SecretMemory
package import SignIn
internal import TextCoding

/// The data with which this machine receives messages while the vault is locked, in a file of mode
/// 0600.
/// The file holds the server, its authorities, and a token that can only read messages.
package struct ReceiverFile: ~Copyable {
    private static let fileName = "receiver"
    private static let largest = 2_097_152

    /// The server.
    package let issuer: Issuer
    /// The token that can only read messages.
    package let token: SecretBytes
    private let authorities: [UInt8]
    private let pinnedKeys: [String]

    /// Creates the receiver of an inbox.
    package init(_ place: SignInPlace, _ token: borrowing SecretBytes) throws {
        let copy = try token.copy()
        issuer = place.client.issuer
        self.token = copy
        authorities = place.settings.authorities
        pinnedKeys = place.settings.pinnedKeys
    }

    /// The path of the file in a folder of waiting messages.
    package static func path(in folder: String) -> String { folder + "/" + fileName }

    /// Reads the receiver of this machine; nil if none is configured.
    ///
    /// - Throws: `SystemFailure`; `UnusableFile`.
    package init?(in folder: String) throws {
        let path = Self.path(in: folder)
        guard FileSystem.exists(path) else { return nil }
        let file = try TrustedFile(path, limit: Self.largest)
        var token: SecretBytes?
        let parts = try file.content.withBytes { (bytes) throws -> (Issuer, String, String)? in
            guard let object = JSONObject(answer: bytes),
                let url = object.text("server", in: bytes).flatMap({ try? WebURL($0) }),
                let issuer = Issuer(url), let authorities = object.text("authorities", in: bytes),
                let keys = object.text("pinned_keys", in: bytes)
            else { return nil }
            token = try object.token("receive_token", in: bytes)
            return (issuer, authorities, keys)
        }
        guard let parts, let token = token.take() else {
            throw UnusableFile(path, "not a file of the inbox")
        }
        issuer = parts.0
        authorities = Array(parts.1.utf8)
        pinnedKeys = parts.2.split(separator: " ").map(String.init)
        self.token = token
    }

    /// Writes the file and replaces an earlier one.
    package borrowing func write(in folder: String) throws {
        let server = Array(issuer.text.utf8)
        let authorities = authorities
        let keys = Array(pinnedKeys.joined(separator: " ").utf8)
        let sizes = [server.count, authorities.count, keys.count, token.count]
        var text = try SecretText(capacity: sizes.map { SecretText.size($0) }.reduce(16, +))
        unsafe text.appendMember("server", server.span.bytes)
        unsafe text.appendMember("authorities", authorities.span.bytes)
        unsafe text.appendMember("pinned_keys", keys.span.bytes)
        token.withBytes { text.appendMember("receive_token", $0) }
        text.append("}\n")
        let content = text.finish()
        let path = Self.path(in: folder)
        do {
            try MessageSpool(folder).make()
            let file = try NewFile(at: path, replacing: true)
            try content.withBytes { try Descriptor.write($0, to: file.descriptor) }
            try file.publish()
        } catch let failure as SystemFailure {
            throw Failure(failure, writing: path)
        }
    }

    /// Writes the file again if this machine receives from this server, and the token, authorities
    /// or keys have changed.
    package borrowing func update(in folder: String) throws {
        guard let old = try ReceiverFile(in: folder) else { return }
        guard old.issuer == issuer else { return }
        if old.authorities == authorities, old.pinnedKeys == pinnedKeys,
            old.token.isEqual(to: token)
        {
            return
        }
        try write(in: folder)
    }

    /// Removes the file of this machine.
    ///
    /// - Returns: Whether the file existed.
    package static func remove(in folder: String) throws -> Bool {
        let path = path(in: folder)
        guard FileSystem.exists(path) else { return false }
        // A service detects that the file was moved.
        let old = path + ".old"
        try FileSystem.remove(old)
        try FileSystem.rename(path, to: old)
        try FileSystem.remove(old)
        return true
    }

    /// The limits of a request that waits for messages; a descriptor ends it.
    package borrowing func options(until stop: Int32) throws -> HTTPClientOptions {
        var options = HTTPClientOptions(
            timeout: .seconds(Int64(InboxClient.longestWait + 30)), maximumContentSize: 2_097_152)
        options.stopDescriptor = stop
        if !authorities.isEmpty { options.authorities = .bytes(authorities) }
        options.pinnedKeys = try pinnedKeys.map { try PinnedKey($0) }
        return options
    }
}

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
