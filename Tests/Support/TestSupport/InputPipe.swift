internal import Dispatch
internal import Platform

/// A pipe into which bytes are written by another thread, then closed.
package final class InputPipe {
    package let descriptor: Int32

    package init(_ pieces: [[UInt8]]) throws {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw SystemFailure.last("pipe") }
        descriptor = ends[0]
        let output = ends[1]
        DispatchQueue(label: "input pipe").async {
            // A reader that went away is no concern here.
            for piece in pieces {
                unsafe try? Descriptor.write(piece.span.bytes, to: output)
            }
            close(output)
        }
    }

    package convenience init(_ text: String) throws {
        try self.init([Array(text.utf8)])
    }

    deinit {
        close(descriptor)
    }
}
