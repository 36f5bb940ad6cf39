package import HTTPClient
internal import Platform
package import SecretMemory
internal import SecureStorage
internal import VaultCore

/// The reason why a picture cannot be shown.
package enum PictureError: Error, Sendable, Hashable {
    /// The server responded with this status.
    case status(Int)
    /// The first bytes are not those of a picture format. SVG is excluded, because it can contain
    /// scripts and links.
    case notAPicture
}

/// A picture of a message.
package struct Picture: ~Copyable {
    /// The content.
    package let content: SecretBytes
    /// The media type, detected from the first bytes.
    package let mediaType: String

    /// Takes the content of a picture.
    ///
    /// - Throws: ``PictureError/notAPicture``.
    package init(_ content: consuming SecretBytes) throws {
        let type = content.withBytes { MediaType.of($0) }
        guard type.hasPrefix("image/") else { throw PictureError.notAPicture }
        self.content = content
        mediaType = type
    }

    /// The maximum size of a picture, in bytes.
    package static let maximumSize = 5_242_880

    /// The limits of a picture request: `https`, public addresses, 5 redirections, and 10 seconds in total.
    ///
    /// - Parameter isPrivateAllowed: Whether private and local addresses are allowed as well.
    /// - Returns: The options.
    package static func options(allowingPrivate isPrivateAllowed: Bool) -> HTTPClientOptions {
        var options = HTTPClientOptions(maximumContentSize: maximumSize)
        options.onlyPublicAddresses = !isPrivateAllowed
        options.redirections = 5
        options.deadline = .now + .seconds(10)
        return options
    }

    /// Loads a picture.
    ///
    /// - Throws: `HTTPClientError`, such as `contentTooLarge` and `notPublic`; ``PictureError``.
    package static func load(
        _ url: WebURL, _ options: HTTPClientOptions
    ) throws -> Picture {
        let response = try HTTPClient(options).get(url)
        guard response.status == 200 else { throw PictureError.status(response.status) }
        return try Picture(response.content.copy())
    }
}

// The encrypted cache. A value of the vault has at most 1 MiB, so a picture is stored in parts.
extension InboxStore {
    private static let pictureService = SecretName.reservedPrefix + "message-picture"
    private static let countKey = "parts"

    private static func pictureName(_ message: InboxMessage, _ part: Int) throws -> SecretName {
        try SecretName(service: pictureService, account: message.id, field: "\(part)")
    }

    /// Stores the picture of a message. Part 1 holds the number of parts and is written last.
    package func store(_ picture: borrowing Picture, of message: InboxMessage) throws {
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

    /// The stored picture of a message; nil without one.
    package func picture(of message: InboxMessage) throws -> Picture? {
        do {
            let first = try store.describe(Self.pictureName(message, 1))
            guard let count = first.attributes[Self.countKey].flatMap({ Int($0) }), count > 0
            else { return nil }
            var content = try store.value(of: Self.pictureName(message, 1))
            for part in 1..<count {
                content = try content.joined(
                    with: store.value(of: Self.pictureName(message, part + 1)))
            }
            return try Picture(content)
        } catch SecureStoreError.notFound {
            return nil
        }
    }

    func removePicture(of message: InboxMessage) throws {
        for part in 1...(Picture.maximumSize / SecretLimits.maximumValueSize) {
            do {
                try store.remove(
                    Self.pictureName(message, part), expecting: nil, permanently: true)
            } catch SecureStoreError.notFound {
                // Part 1 is written last, so an interrupted command may have left other parts.
                continue
            }
        }
    }
}
