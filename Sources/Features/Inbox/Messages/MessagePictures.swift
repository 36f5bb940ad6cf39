package import HTTPClient
package import SecretMemory
internal import SecureStorage
internal import VaultCore

/// Why a picture cannot be shown.
package enum PictureError: Error, Sendable, Hashable {
    /// The server answered with this status.
    case status(Int)
    /// The content is no picture by its first bytes. SVG, which can contain programs and addresses, is none.
    case notAPicture
}

/// A picture of a message.
package struct MessagePicture: ~Copyable {
    /// The content.
    package let content: SecretBytes
    /// Its media type, by its first bytes.
    package let mediaType: String

    /// Takes a content.
    ///
    /// - Throws: ``PictureError/notAPicture``.
    package init(_ content: consuming SecretBytes) throws {
        let type = content.withBytes { MediaType.of($0) }
        guard type.hasPrefix("image/") else { throw PictureError.notAPicture }
        self.content = content
        mediaType = type
    }

    /// The largest picture, in bytes.
    package static let maximumSize = 5_242_880
    private static let redirections = 5

    /// The limits of a request for a picture: https to public addresses, for 10 seconds in all.
    ///
    /// - Parameter isPrivateAllowed: Whether an address of a local or private network is allowed, too.
    /// - Returns: The options.
    package static func options(allowingPrivate isPrivateAllowed: Bool) -> HTTPClientOptions {
        var options = HTTPClientOptions(maximumContentSize: maximumSize)
        options.onlyPublicAddresses = !isPrivateAllowed
        options.deadline = .now.advanced(by: .seconds(10))
        return options
    }

    /// Loads a picture.
    ///
    /// - Throws: `HTTPClientError`, such as `contentTooLarge` and `notPublic`; ``PictureError``.
    package static func load(
        _ url: WebURL, _ options: HTTPClientOptions
    ) throws -> MessagePicture {
        let response = try HTTPClient(options).get(url, redirections: redirections)
        guard response.status == 200 else { throw PictureError.status(response.status) }
        return try MessagePicture(response.content.copy())
    }
}

// The encrypted cache: a value of the vault has 1 MiB at most, so a picture has several.
extension InboxStore {
    private static let pictureService = SecretName.reservedPrefix + "message-picture"
    private static let countKey = "parts"

    private static func pictureName(_ message: InboxMessage, _ part: Int) throws -> SecretName {
        try SecretName(service: pictureService, account: message.id, field: "\(part)")
    }

    /// Keeps the picture of a message. Part 1, which tells how many there are, comes last.
    package func keep(_ picture: borrowing MessagePicture, of message: InboxMessage) throws {
        let size = SecretLimits.maximumValueSize
        let count = max(1, (picture.content.count + size - 1) / size)
        for part in (1...count).reversed() {
            let start = (part - 1) * size
            let value = try picture.content.copy(
                from: start, count: min(size, picture.content.count - start))
            var attributes = SecretAttributes()
            if part == 1 { attributes[Self.countKey] = "\(count)" }
            try put(value, as: Self.pictureName(message, part), attributes)
        }
    }

    /// The kept picture of a message; nil if there is none.
    package func picture(of message: InboxMessage) throws -> MessagePicture? {
        do {
            let first = try store.describe(Self.pictureName(message, 1))
            guard let count = first.attributes[Self.countKey].flatMap({ Int($0) }), count > 0
            else { return nil }
            var content = try store.value(of: Self.pictureName(message, 1))
            for part in 1..<count {
                content = try content.joined(
                    with: store.value(of: Self.pictureName(message, part + 1)))
            }
            return try MessagePicture(content)
        } catch SecureStoreError.notFound {
            return nil
        }
    }

    func removePicture(of message: InboxMessage) throws {
        for part in 1...(MessagePicture.maximumSize / SecretLimits.maximumValueSize) {
            do {
                try store.remove(
                    Self.pictureName(message, part), expecting: nil, permanently: true)
            } catch SecureStoreError.notFound {
                // The first part comes last, so an interrupted command may have left the others.
                continue
            }
        }
    }
}
