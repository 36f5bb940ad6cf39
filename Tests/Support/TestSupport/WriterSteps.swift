package import SecureStorage

/// An endless list of changes to a store, and the expected content after the first steps.
///
/// Step 3n saves item n, step 3n + 1 updates it, step 3n + 2 removes it if n is odd and edits it otherwise.
package enum WriterSteps {
    /// Runs one step.
    package static func run(_ step: Int, on store: any SecureStore) throws {
        let name = try name(step / 3)
        switch step % 3 {
        case 0:
            try store.save(
                Samples.secret(value(step)), as: name,
                SecretAttributes(
                    accessClass: step.isMultiple(of: 2) ? .afterVerification : .whileUnlocked))
        case 1: try store.update(name, to: Samples.secret(value(step)))
        default:
            if (step / 3).isMultiple(of: 2) {
                try store.edit(name, SecretEdit(label: "edited"), expecting: nil)
            } else {
                try store.remove(name)
            }
        }
    }

    /// Names, values and labels after the first `count` steps.
    package static func model(after count: Int) throws -> [SecretName: [String]] {
        var model: [SecretName: [String]] = [:]
        for step in 0..<count {
            let name = try name(step / 3)
            switch step % 3 {
            case 0, 1: model[name] = [text(step), ""]
            default: model[name] = (step / 3).isMultiple(of: 2) ? [text(step - 1), "edited"] : nil
            }
        }
        return model
    }

    /// The same for a store.
    package static func contents(of store: any SecureStore) throws -> [SecretName: [String]] {
        var contents: [SecretName: [String]] = [:]
        // Reading adds the log's own items.
        for item in try store.list() where !item.name.isReserved {
            let value = try Samples.bytes(store.value(of: item.name))
            contents[item.name] = [String(decoding: value, as: UTF8.self), item.attributes.label]
        }
        return contents
    }

    private static func name(_ number: Int) throws -> SecretName {
        try SecretName(service: "item \(number)", account: "writer")
    }

    private static func text(_ step: Int) -> String {
        String(repeating: "step \(step) ", count: 1 + step * 37 % 200)
    }

    private static func value(_ step: Int) -> [UInt8] { Array(text(step).utf8) }
}
