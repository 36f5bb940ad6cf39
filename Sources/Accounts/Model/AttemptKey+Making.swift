internal import Sealing

/// Three kinds of keys, none of which can be another one.
extension AttemptKey {
    /// The key of a name, whether there is such an account or not.
    package init(_ name: EmailAddress) {
        self.init("name", [name.text])
    }

    /// The key of a name at one network: a place.
    package init(_ name: EmailAddress, network: String) {
        self.init("name and network", [name.text, network])
    }

    /// The key of a network.
    package init(network: String) {
        self.init("network", [network])
    }

    private init(_ kind: String, _ parts: [String]) {
        bytes = Blake2b.hash(size: Self.size) { input in
            for part in ["TaskVault attempts", kind] + parts {
                input.feed(UInt64(part.utf8.count))
                input.feed(part)
            }
        }
    }
}
