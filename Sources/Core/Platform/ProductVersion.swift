/// The version of TaskVault.
package enum ProductVersion {
    /// The version, by Semantic Versioning.
    package static let number = "0.1.0"
}
