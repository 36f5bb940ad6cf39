import SecretMemory
import Secrets
import SecureStorage
import Testing
import TestSupport

@Suite("Export and import")
struct RoundTripTests {
    /// TaskVault's formats, which keep everything.
    private static let formats = [ExportFormat.json, .csv]

    /// The number of rounds; `TASKVAULT_ROUND_TRIPS` sets another.
    private static let rounds = Attack.amount("TASKVAULT_ROUND_TRIPS", ordinary: 60)

    @Test("Random secrets come back exactly, in both formats")
    func random() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        var count = 0
        for round in 0..<Self.rounds {
            var taken: Set<SecretName> = []
            var secrets: [Delivery] = []
            while secrets.count < 5 {
                let secret = try Self.secret(&random)
                if taken.insert(secret.name).inserted { secrets.append(secret) }
            }
            for format in Self.formats {
                let (report, back) = try imported(try exported(secrets, as: format))
                #expect(Self.same(back, secrets), "seed \(seed), round \(round), \(format)")
                #expect(
                    report.imported == 5 && report.nameChanges.isEmpty && report.skipped.isEmpty)
                count += back.count
            }
        }
        #expect(count == 10 * Self.rounds)
        Attack.report(["vaults": Self.rounds, "secrets-back": count, "altered": 0])
    }

    @Test("Unusual values come back exactly", arguments: formats)
    func oddValues(format: ExportFormat) throws {
        let everyByte = Array(UInt8.min...UInt8.max)
        let values: [[UInt8]] = [
            [], [0], [13], [10], [13, 10], [34], [34, 34], [44], [0xEF, 0xBB, 0xBF], [0xFF],
            everyByte,
            everyByte.reversed(), Array("=1+1".utf8), Array("+49".utf8), Array("-1".utf8),
            Array("@A1".utf8), Array(" x ".utf8), Array("\"x\",\n".utf8), Array("ünï\u{308}".utf8),
            [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ]
        var secrets: [Delivery] = []
        for (index, value) in values.enumerated() {
            secrets.append(try Self.secret(named: "\(index)", value))
        }
        let (_, back) = try imported(try exported(secrets, as: format))
        #expect(Self.same(back, secrets))
    }

    @Test("Values around the block sizes, up to 1 MiB, come back exactly")
    func sizes() throws {
        var random = SeededGenerator(seed: 1)
        for size in [1, 2, 3, 4, 3_071, 3_072, 3_073, 6_144, 65_535, 65_536, 1_048_575, 1_048_576] {
            let binary = try Self.secret(named: "b", Self.bytes(size, 0...255, &random))
            let text = try Self.secret(named: "t", Self.bytes(size, 32...126, &random))
            for format in Self.formats {
                let (_, back) = try imported(try exported([binary, text], as: format))
                #expect(Self.same(back, [binary, text]), "\(size), \(format)")
            }
        }
    }

    @Test("Names in NFC and NFD, both classes, attributes with control characters")
    func names() throws {
        var secrets = [
            try Self.secret(named: "caf\u{E9}", [1]), try Self.secret(named: "cafe\u{301}", [2]),
            try Self.secret(named: "\u{202E}\u{200D}👩‍👩‍👧", [3]), try Self.secret(named: "\"\\,=", [4]),
        ]
        secrets[1].attributes = SecretAttributes(
            label: "\u{2028}\\u0041", accessClass: .afterVerification,
            extra: [
                ExtraAttribute(key: "a", text: "\0\u{1}\u{1F}\r\n\t\u{7F}\u{85}\""),
                ExtraAttribute(key: "b", text: ""), ExtraAttribute(key: "\u{10FFFF}", text: "😀"),
            ])
        secrets[2].created = .min
        secrets[2].modified = .max
        for format in Self.formats {
            let (_, back) = try imported(try exported(secrets, as: format))
            #expect(Self.same(back, secrets), "\(format)")
        }
    }

    @Test("An export without secrets is valid", arguments: ExportFormat.allCases)
    func empty(format: ExportFormat) throws {
        let (report, back) = try imported(try exported([], as: format))
        #expect(back.isEmpty && report.imported == 0)
    }

    @Test("The formats are as documented")
    func golden() throws {
        let json = try imported(ExporterShapes.taskVaultJSON)
        let csv = try imported(ExporterShapes.taskVaultCSV)
        #expect(json.secrets.map(\.value) == [Array("Geheim".utf8), Array("Geheim\0".utf8)])
        #expect(
            try exported(json.secrets, as: .json) == Array(ExporterShapes.taskVaultJSON.utf8))
        let windows = ExporterShapes.taskVaultCSV.replacing("\n", with: "\r\n")
        #expect(try exported(csv.secrets, as: .csv) == Array(windows.utf8))
    }

    @Test("Text stays readable in CSV, and is not changed for spreadsheets")
    func csvIsText() throws {
        let secret = try Self.secret(named: "a", Array("=HYPERLINK(\"x\")".utf8))
        let text = String(decoding: try exported([secret], as: .csv), as: UTF8.self)
        #expect(text.contains(",\"=HYPERLINK(\"\"x\"\")\",\"text\","))
    }

    @Test(
        "Values that are not plain text are in Base64, so every CSV file is text",
        arguments: [
            ([13], true), ([65, 0], true), ([0xFF], true), ([0xED, 0xA0, 0x80], true), ([], false),
            ([10], false), ([1, 9, 34, 44], false), (Array("ü😀".utf8), false),
        ] as [([UInt8], Bool)])
    func csvEncoding(value: [UInt8], isBase64: Bool) throws {
        let file = try exported([try Self.secret(named: "a", value)], as: .csv)
        let text = try #require(String(validating: file, as: UTF8.self))
        #expect(text.contains(isBase64 ? "\"base64\"" : "\"text\""))
        #expect(!text.unicodeScalars.contains("\0"))
    }

    @Test("A duplicate name in an edited file is numbered")
    func duplicateNames() throws {
        let secret = try Self.secret(named: "a", [1])
        for format in Self.formats {
            let (report, back) = try imported(try exported([secret, secret], as: format))
            #expect(back.map(\.name.account) == ["a", "a (2)"])
            #expect(report.nameChanges.map(\.subject) == [.numbered])
        }
    }

    @Test("An invalid name is reported")
    func invalidName() throws {
        let file = ExporterShapes.taskVaultJSON.replacing("alice", with: "")
        let report = try imported(file).report
        #expect(report.imported == 1)
        #expect(
            report.skipped == [
                .init(line: 2, .refused(.invalidName(field: "account", .empty)))
            ])
    }

    @Test("The sink gets pieces of at most 64 KiB, and its error is thrown")
    func sink() throws {
        let secret = try Self.secret(named: "a", [UInt8](repeating: 7, count: 200_000))
        let item = SecretItem(
            name: secret.name, attributes: secret.attributes, revision: 1, created: 0, modified: 0)
        let pieces = Pieces()
        var exporter = try SecretExporter(.json) { piece in pieces.append(piece) }
        try exporter.write(item, try guarded(secret.value))
        try exporter.finish()
        #expect(pieces.largest == 65_536 && pieces.bytes.count > 266_000)

        struct DiskFull: Error {}
        var failing = try SecretExporter(.csv) { _ in throw DiskFull() }
        let value = try guarded(secret.value)
        #expect(throws: DiskFull.self) { try failing.write(item, value) }
    }

    /// Compares bytes, because `==` of strings treats NFC and NFD as equal.
    private static func same(_ left: [Delivery], _ right: [Delivery]) -> Bool {
        func exact(_ secret: Delivery) -> [[UInt8]] {
            let extra = secret.attributes.extra.flatMap { [$0.key, $0.text] }
            let names = [secret.name.service, secret.name.account, secret.name.field]
            let texts = names + [secret.attributes.label] + extra
            return texts.map { Array($0.utf8) } + [
                secret.value, [secret.attributes.accessClass.rawValue],
            ]
        }
        return left.map(exact) == right.map(exact) && left.map(\.created) == right.map(\.created)
            && left.map(\.modified) == right.map(\.modified)
    }

    private static func secret(named account: String, _ value: [UInt8]) throws -> Delivery {
        Delivery(
            name: try SecretName(service: "s", account: account), attributes: SecretAttributes(),
            value: value, line: 0, created: 0, modified: 1_772_355_900_120)
    }

    private static func secret(_ random: inout SeededGenerator) throws -> Delivery {
        var extra: [ExtraAttribute] = []
        for index in 0..<Int.random(in: 0...3, using: &random) {
            let text = text(0...20, controls: true, &random)
            extra.append(ExtraAttribute(key: "k\(index)", text: text))
        }
        let count = Int.random(in: 0...80, using: &random)
        let range: ClosedRange<UInt8> = Bool.random(using: &random) ? 0...255 : 32...44
        return Delivery(
            name: try SecretName(
                service: text(1...12, controls: false, &random),
                account: text(1...12, controls: false, &random),
                field: Bool.random(using: &random)
                    ? SecretName.standardField : text(1...12, controls: false, &random)),
            attributes: SecretAttributes(
                label: text(0...12, controls: false, &random),
                accessClass: Bool.random(using: &random) ? .whileUnlocked : .afterVerification,
                extra: extra),
            value: bytes(count, range, &random), line: 0,
            created: Int64.random(in: .min ... .max, using: &random),
            modified: Int64.random(in: 0...4_000_000_000_000, using: &random))
    }

    private static func bytes(
        _ count: Int, _ range: ClosedRange<UInt8>, _ random: inout SeededGenerator
    ) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: range, using: &random) }
    }

    private static func text(
        _ sizes: ClosedRange<Int>, controls: Bool, _ random: inout SeededGenerator
    ) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: sizes, using: &random) {
            let limit: UInt32 = [0x80, 0x300, 0x3000, 0x11_0000].randomElement(using: &random) ?? 0
            let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &random)) ?? "x"
            let isControl = scalar.properties.generalCategory == .control
            text.append(isControl && !controls ? "\"" : scalar)
        }
        return String(text)
    }
}
