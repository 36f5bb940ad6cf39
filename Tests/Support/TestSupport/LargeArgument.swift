internal import Testing

/// A large argument of a test, told by its size: the testing library would spell out each element, which takes seconds for a megabyte.
package struct LargeArgument<Value: Collection & Sendable>: CustomTestStringConvertible, Sendable {
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package var testDescription: String { "\(value.count) elements" }
}
