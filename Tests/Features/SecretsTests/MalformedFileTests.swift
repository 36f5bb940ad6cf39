import SecretMemory
@testable import Secrets
import Testing

@Suite("Malformed files")
struct MalformedFileTests {
    private static let header = "title,url,username,password\n"
    private static let own =
        "service,account,field,label,class,created,modified,value,value_encoding,extra\n"
    private static let time = "2026-03-01T09:05:00.120Z"

    @Test("Each mistake in a CSV file has its error, with the line")
    func tables() {
        let cases: [(String, ExchangeError)] = [
            ("", .empty), ("\u{FEFF}", .empty), ("\n\r\n", .empty),
            ("x", .unknownFormat), ("\"", .unterminatedQuote(line: 1)),
            (",", .duplicateColumn(column: 2)),
            ("title;url;username;password\n", .unknownFormat),
            ("title,Title,url,username,password\n", .duplicateColumn(column: 2)),
            (Self.header + "a,b,c,\"d\n\n", .unterminatedQuote(line: 2)),
            (Self.header + "a,b,c,d\n\"x\ny\",b,c,\"d", .unterminatedQuote(line: 4)),
            (Self.header + "a,b,c,d\"e\n", .strayQuote(line: 2, column: 4)),
            (Self.header + "a, \"b\",c,d\n", .strayQuote(line: 2, column: 2)),
            (Self.header + "a,\"b\"x,c,d\n", .strayQuote(line: 2, column: 2)),
            (
                Self.header + "a,b,c,d\na,b,c,d,e\n",
                .wrongFieldCount(line: 3, expected: 4, found: 5)
            ),
            (Self.header + "a,b,c,d\0\n", .nulByte(line: 2)),
            (Self.header + "a,\"\nb\0\",c,d\n", .nulByte(line: 3)),
        ]
        for (text, error) in cases {
            #expect(importError(text) == error, "\(text.debugDescription)")
        }
    }

    @Test("Text that is not UTF-8 is an error in names, and kept in values")
    func invalidText() throws {
        let start = Array(Self.header.utf8)
        let name = start + Array("a,b,c".utf8) + [0xFF] + Array(",d\n".utf8)
        #expect(try imported(name).report.skipped == [.init(line: 2, .damagedText)])
        let url = start + Array("a,b".utf8) + [0xC0, 0x80] + Array(",c,d\n".utf8)
        #expect(try imported(url).report.skipped == [.init(line: 2, .damagedText)])
        #expect(importError([0xFF] + start) == .invalidText(line: 1, column: 1))
        let utf16 = "title,url".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(importError(utf16) == .nulByte(line: 1))
        let value = start + Array("a,b,c,".utf8) + [0xFF, 0xFE]
        #expect(try imported(value).secrets.map(\.value) == [[0xFF, 0xFE]])
    }

    @Test("Every file of one byte gives an error")
    func oneByte() {
        for byte in UInt8.min...UInt8.max {
            #expect(importError([byte]) != nil, "\(byte)")
        }
    }

    @Test("Each mistake in TaskVault's own CSV has its error, with line and column")
    func ownTables() {
        let cases: [(String, ExchangeError)] = [
            (
                "s,a,f,l,never,\(Self.time),\(Self.time),v,text,[]",
                .invalidField(line: 2, column: 5)
            ),
            (
                "s,a,f,l,while-unlocked,now,\(Self.time),v,text,[]",
                .invalidField(line: 2, column: 6)
            ),
            ("s,a,f,l,while-unlocked,\(Self.time),,v,text,[]", .invalidField(line: 2, column: 7)),
            (
                "s,a,f,l,while-unlocked,\(Self.time),\(Self.time),v,base64,[]",
                .invalidField(line: 2, column: 8)
            ),
            (
                "s,a,f,l,while-unlocked,\(Self.time),\(Self.time),YQ=,base64,[]",
                .invalidField(line: 2, column: 8)
            ),
            (
                "s,a,f,l,while-unlocked,\(Self.time),\(Self.time),YR==,base64,[]",
                .invalidField(line: 2, column: 8)
            ),
            (
                "s,a,f,l,while-unlocked,\(Self.time),\(Self.time),v,hex,[]",
                .invalidField(line: 2, column: 9)
            ),
            (
                "s,a,f,l,while-unlocked,\(Self.time),\(Self.time),v,text,",
                .invalidField(line: 2, column: 10)
            ),
            (
                "s,a,f,l,while-unlocked,\(Self.time),\(Self.time),v,text,[{}]",
                .invalidField(line: 2, column: 10)
            ),
            (
                "s,a,f,l,while-unlocked,\(Self.time),\(Self.time),v,text,[] []",
                .invalidField(line: 2, column: 10)
            ),
        ]
        for (row, error) in cases {
            #expect(importError(Self.own + row) == error, "\(row)")
        }
        let good = "s,a,f,l,while-unlocked,\(Self.time),\(Self.time),v,text,[]"
        #expect(importError(Self.own + good) == nil)
        #expect(importError("service,account,value,value_encoding\n") == .unknownFormat)
        #expect(
            importError(Self.own + "s,a,f,l\n")
                == .wrongFieldCount(line: 2, expected: 10, found: 4))
    }

    @Test("Each mistake in JSON has its error, with the line")
    func json() {
        let item =
            "{\"service\":\"s\",\"account\":\"a\",\"field\":\"f\",\"label\":\"\","
            + "\"class\":\"while-unlocked\",\"created\":\"\(Self.time)\",\"modified\":\"\(Self.time)\",\"extra\":[],"
            + "\"value_base64\":\"YQ==\"}"
        func file(_ items: String, version: String = "1") -> String {
            "{\"format\":\"taskvault-export\",\"version\":\(version),\"items\":[\n\(items)\n]}"
        }
        #expect(importError(file(item)) == nil)
        #expect(importError(" \n" + file("\(item) , \(item)") + " ") == nil)
        #expect(importError("{\"format\":\"other\"}") == .unknownFormat)
        #expect(importError("{\"items\":[]}") == .invalidJSON(line: 1))
        #expect(importError("{\"encrypted\":false}") == .unknownFormat)
        #expect(importError(file("", version: "2")) == .unsupportedVersion(2))
        #expect(importError("{}") == .invalidJSON(line: 1))
        let second: [String] = [
            item.replacing("\"label\":\"\",", with: ""),
            item.replacing("\"field\":\"f\",", with: ""),
            item.replacing("\"label\":\"\",", with: "\"label\":\"\",\"label\":\"\","),
            item.replacing("\"label\":\"\",", with: "\"label\":\"\",\"other\":\"\","),
            item.replacing("\"label\":\"\"", with: "\"label\":null"),
            item.replacing("YQ==", with: "YQ"), item.replacing("YQ==", with: "Y\\u0051=="),
            item.replacing("YQ==", with: "YQ==YQ=="), item.replacing("[]", with: "[,]"),
            item.replacing("[]", with: "[{\"key\":\"k\"}]"), item.replacing("[]", with: "{}"),
            item.replacing("while-unlocked", with: "WHILE-UNLOCKED"),
            item.replacing(Self.time, with: "2026-02-30T00:00:00.000Z"),
            item.replacing("\"s\"", with: "\"\\ud800\""),
            item.replacing("\"s\"", with: "\"\\ud800\\u0041\""),
            item.replacing("\"s\"", with: "\"\\x\""), item.replacing("\"s\"", with: "\"\\u12\""),
            item.replacing("\"s\"", with: "\"\t\""), item.replacing("\"s\"", with: "s"),
            item + ",", item + " " + item, item.replacing("}", with: ",}"), "[]", "1",
        ]
        for items in second {
            let error = importError(file(items))
            #expect(error == .invalidJSON(line: 2) || error == .invalidJSON(line: 3), "\(items)")
        }
        for version in ["01", "-1", "1.0", "\"1\"", "1e0", "", "9999999999"] {
            #expect(
                importError(file(item, version: version)) == .invalidJSON(line: 1), "\(version)")
        }
        #expect(importError(file(item) + "x") == .invalidJSON(line: 3))
        #expect(importError(file(item) + "\n{") == .invalidJSON(line: 4))
    }

    @Test("An error names the place and the reason, and an unknown header the known formats")
    func descriptions() {
        #expect("\(ExchangeError.strayQuote(line: 7, column: 3))".hasPrefix("line 7, column 3: "))
        #expect("\(ExchangeError.nulByte(line: 5))".hasPrefix("line 5: "))
        let unknown = "\(ExchangeError.unknownFormat)"
        for format in ExchangeFormat.allCases where format != .mapped {
            #expect(unknown.contains(format.title))
        }
    }

    @Test("More than 64 MiB are refused before they are read")
    func tooLarge() {
        let file = [UInt8](repeating: 0, count: SecretImport.maximumFileSize + 1)
        #expect(importError(file) == .tooLarge(maximum: 67_108_864))
    }

    @Test(
        "No file causes a crash, and no error and no report has a secret",
        arguments: ExporterShapes.all)
    func mutations(shape: ExporterShape) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let original = Array(shape.text.utf8)
        var errors = 0
        // The fuzzer of these files tries far more.
        for round in 0..<300 {
            var file = original
            for _ in 0..<Int.random(in: 1...3, using: &random) where !file.isEmpty {
                let position = Int.random(in: 0..<file.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: file[position] = UInt8.random(in: 0...255, using: &random)
                case 1: file[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: file.remove(at: position)
                case 3: file.insert(Array("\",\n{}[]:\\".utf8)[round % 9], at: position)
                default: file.removeLast(file.count - position)
                }
            }
            let fault = SecretFileProperties.file(file)
            #expect(fault == nil, "seed \(seed), round \(round)")
            do {
                // The damage can make another value the title of a record.
                var report = try imported(file).report
                report.titles = [:]
                #expect(!Self.leaks(report), "seed \(seed), round \(round): \(report)")
            } catch {
                errors += 1
                #expect(error is ExchangeError, "seed \(seed), round \(round)")
                #expect(!Self.leaks(error), "seed \(seed), round \(round): \(error)")
            }
        }
        #expect(errors > 20, "seed \(seed): the mutations broke nothing")
    }

    /// Whether a text for a person has five letters of the marker.
    private static func leaks(_ thing: some Any) -> Bool {
        let text = "\(thing) \(String(reflecting: thing))".lowercased()
        return text.contains("gehei") || text.contains("eheim") || text.contains("r2voz")
    }
}
