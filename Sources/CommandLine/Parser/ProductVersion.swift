/// The version of TaskVault.
package enum ProductVersion {
    /// The version by semantic versioning.
    package static let number = "0.1.0"
}
