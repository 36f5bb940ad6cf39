/// The name of this machine.
public enum HostName {
    /// The host name without its domain; empty if unknown. The corresponding C function is `gethostname`.
    public static var current: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        let text = bytes.prefix { $0 != 0 && $0 != 0x2E }.map { UInt8(bitPattern: $0) }
        return String(decoding: text, as: UTF8.self)
    }
}
