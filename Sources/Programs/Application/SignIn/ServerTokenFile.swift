package import HTTPClient
internal import Inbox
internal import Platform
package import SecretMemory
package import SignIn
internal import TextCoding

/// The data with which this machine uses a server while the vault is locked, in a file of mode 0600: the server, its authorities, and a token
/// that permits one thing.
package struct ServerTokenFile: ~Copyable {
    /// The purpose of the token.
    package enum Use: String, Sendable {
        /// To read messages.
        case receiver
        /// To read and write the blobs of sync.
        case sync

        /// The member with the token.
        fileprivate var member: String {
            switch self {
            case .receiver: "receive_token"
            case .sync: "sync_token"
            }
        }
    }

    private static let largest = 2_097_152

    /// The purpose of the token.
    package let use: Use
    /// The server.
    package let issuer: Issuer
    /// The token.
    package let token: SecretBytes
    private let authorities: [UInt8]
    private let pinnedKeys: [String]

    /// Takes the server of a vault, and a token of it.
    package init(_ place: SignInPlace, _ use: Use, _ token: borrowing SecretBytes) throws {
        let copy = try token.copy()
        self.use = use
        issuer = place.client.issuer
        self.token = copy
        authorities = place.settings.authorities
        pinnedKeys = place.settings.pinnedKeys
    }

    /// The path of the file in a folder of this machine's state.
    package static func path(_ use: Use, in folder: String) -> String {
        folder + "/" + use.rawValue
    }

    /// Reads the file of this machine; nil if there is none.
    ///
    /// - Throws: `SystemFailure`; `UnusableFile`.
    package init?(_ use: Use, in folder: String) throws {
        let path = Self.path(use, in: folder)
        guard FileSystem.exists(path) else { return nil }
        let file = try TrustedFile(path, limit: Self.largest)
        var token: SecretBytes?
        let parts = try file.content.withBytes { (bytes) throws -> (Issuer, String, String)? in
            guard let object = JSONObject(answer: bytes),
                let url = object.text("server", in: bytes).flatMap({ try? WebURL($0) }),
                let issuer = Issuer(url), let authorities = object.text("authorities", in: bytes),
                let keys = object.text("pinned_keys", in: bytes)
            else { return nil }
            token = try object.token(use.member, in: bytes)
            return (issuer, authorities, keys)
        }
        guard let parts, let token = token.take() else {
            throw UnusableFile(path, "not a file with a token")
        }
        self.use = use
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
        token.withBytes { text.appendMember(use.member, $0) }
        text.append("}\n")
        let content = text.finish()
        let path = Self.path(use, in: folder)
        do {
            try SafeFolder.create(folder)
            try SafeFolder.require(SafeFolder.resolve(folder))
            let file = try NewFile(at: path, replacing: true)
            try content.withBytes { try Descriptor.write($0, to: file.descriptor) }
            try file.publish()
        } catch let failure as SystemFailure {
            throw Failure(failure, writing: path)
        }
    }

    /// Writes the file again if this machine has one for this server, and the token, authorities
    /// or keys have changed.
    package borrowing func update(in folder: String) throws {
        guard let old = try ServerTokenFile(use, in: folder) else { return }
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
    package static func remove(_ use: Use, in folder: String) throws -> Bool {
        let path = path(use, in: folder)
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
        var options = try options()
        options.timeout = .seconds(Int64(InboxClient.longestWait + 30))
        options.stopDescriptor = stop
        return options
    }

    /// The limits of a request to the server.
    package borrowing func options() throws -> HTTPClientOptions {
        var options = HTTPClientOptions(maximumContentSize: Self.largest)
        if !authorities.isEmpty { options.authorities = .bytes(authorities) }
        options.pinnedKeys = try pinnedKeys.map { try PinnedKey($0) }
        return options
    }
}
