#if os(Linux)
    /// The XML of `org.freedesktop.DBus.Introspectable.Introspect`, for tools and language
    /// bindings.
    enum Introspection {
        private static let standard = """
            <interface name="org.freedesktop.DBus.Properties">\
            <method name="Get"><arg type="s"/><arg type="s"/><arg type="v" direction="out"/></method>\
            <method name="GetAll"><arg type="s"/><arg type="a{sv}" direction="out"/></method>\
            <method name="Set"><arg type="s"/><arg type="s"/><arg type="v"/></method></interface>
            """

        private static func interface(
            _ name: String, _ methods: [(String, [String], [String])],
            _ properties: [(String, String, String)] = [], _ signals: [(String, [String])] = []
        ) -> String {
            func arguments(_ types: [String], _ direction: String) -> String {
                types.map { "<arg type=\"\($0)\"\(direction)/>" }.joined()
            }
            let parts =
                methods.map { name, input, output in
                    "<method name=\"\(name)\">\(arguments(input, ""))"
                        + arguments(output, " direction=\"out\"") + "</method>"
                }
                + properties.map { name, type, access in
                    "<property name=\"\(name)\" type=\"\(type)\" access=\"\(access)\"/>"
                }
                + signals.map { name, types in
                    "<signal name=\"\(name)\">\(arguments(types, ""))</signal>"
                }
            return
                "<interface name=\"\(SecretService.interface(name))\">\(parts.joined())</interface>"
        }

        private static func interfaces(of object: SecretObject) -> String {
            let times = [("Created", "t", "read"), ("Modified", "t", "read")]
            switch object {
            case .service:
                return interface(
                    "Service",
                    [
                        ("OpenSession", ["s", "v"], ["v", "o"]),
                        ("CreateCollection", ["a{sv}", "s"], ["o", "o"]),
                        ("SearchItems", ["a{ss}"], ["ao", "ao"]), ("Unlock", ["ao"], ["ao", "o"]),
                        ("Lock", ["ao"], ["ao", "o"]),
                        ("GetSecrets", ["ao", "o"], ["a{o(oayays)}"]), ("ReadAlias", ["s"], ["o"]),
                        ("SetAlias", ["s", "o"], []),
                    ], [("Collections", "ao", "read")],
                    [
                        ("CollectionCreated", ["o"]), ("CollectionDeleted", ["o"]),
                        ("CollectionChanged", ["o"]),
                    ])
            case .collection:
                return interface(
                    "Collection",
                    [
                        ("Delete", [], ["o"]), ("SearchItems", ["a{ss}"], ["ao"]),
                        ("CreateItem", ["a{sv}", "(oayays)", "b"], ["o", "o"]),
                    ],
                    [("Items", "ao", "read"), ("Label", "s", "readwrite"), ("Locked", "b", "read")]
                        + times,
                    [("ItemCreated", ["o"]), ("ItemDeleted", ["o"]), ("ItemChanged", ["o"])])
            case .item:
                return interface(
                    "Item",
                    [
                        ("Delete", [], ["o"]), ("GetSecret", ["o"], ["(oayays)"]),
                        ("SetSecret", ["(oayays)"], []),
                    ],
                    [
                        ("Locked", "b", "read"), ("Attributes", "a{ss}", "readwrite"),
                        ("Label", "s", "readwrite"),
                    ] + times)
            case .session: return interface("Session", [("Close", [], [])])
            case .prompt:
                return interface(
                    "Prompt", [("Prompt", ["s"], []), ("Dismiss", [], [])], [],
                    [("Completed", ["b", "v"])])
            }
        }

        /// The XML of an object path with objects of these names below it.
        static func text(of path: String, _ children: [String]) -> String {
            "<node>" + (SecretObject(path: path).map { standard + interfaces(of: $0) } ?? "")
                + children.map { "<node name=\"\($0)\"/>" }.joined() + "</node>"
        }
    }
#endif
