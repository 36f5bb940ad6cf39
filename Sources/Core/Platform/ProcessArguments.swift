internal import CPlatform

/// The arguments of `main`, which are there without `/proc` too. The first one is the name of the
/// process.
package enum ProcessArguments {
    /// The bytes of each argument.
    package static var bytes: [[UInt8]] {
        var arguments: [[UInt8]] = []
        while let argument = unsafe platform_argument(Int32(arguments.count)) {
            arguments.append(
                unsafe Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument))))
        }
        return arguments
    }

    /// The arguments as text. Invalid UTF-8 is repaired, which makes another text of it.
    package static var texts: [String] { bytes.map { String(decoding: $0, as: UTF8.self) } }
}
