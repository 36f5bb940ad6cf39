import Testing
import TextCoding

@Suite("Times")
struct TimestampTests {
    @Test(
        "Known times",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_772_355_900_120, "2026-03-01T09:05:00.120Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "+10000-01-01T00:00:00.000Z"),
            (Int64.min, "-292275055-05-16T16:47:04.192Z"),
            (Int64.max, "+292278994-08-17T07:12:55.807Z"),
        ] as [(Int64, String)])
    func known(milliseconds: Int64, text: String) {
        #expect(Timestamp.text(milliseconds) == text)
        #expect(Timestamp.milliseconds(text) == milliseconds)
        // Without what is below a second: rounded down, also before 1970.
        #expect(
            Timestamp.rfc3339(milliseconds: milliseconds) == text.prefix(while: { $0 != "." }) + "Z"
        )
    }

    @Test("Each day of 800 years is the day after the one before")
    func everyDay() {
        let day: Int64 = 86_400_000
        for number in Int64(-146_097)..<146_097 {
            let text = Timestamp.text(number * day)
            if Timestamp.milliseconds(text) != number * day { Issue.record("\(text)") }
            if Timestamp.text((number + 1) * day) <= text { Issue.record("\(text)") }
        }
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", "now", "2026-03-01", "2026-03-01T09:05:00Z", "2026-03-01T09:05:00.120",
            "2026-03-01T09:05:00.120+00:00", "2026-3-01T09:05:00.120Z", "2026-02-29T09:05:00.120Z",
            "2026-13-01T09:05:00.120Z", "2026-03-01T24:05:00.120Z", "2026-03-01T09:05:60.120Z",
            "2026-03-01 09:05:00.120Z", "+2026-03-01T09:05:00.120Z", "-0000-01-01T00:00:00.000Z",
            "+292278994-08-17T07:12:55.808Z", "-292275055-05-16T16:47:04.191Z",
            "99999999999999999999-01-01T00:00:00.000Z", "２026-03-01T09:05:00.120Z",
        ])
    func refused(text: String) {
        #expect(Timestamp.milliseconds(text) == nil)
    }

    @Test(
        "Times of RFC 3339 with any zone are read",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01t00:00:01z", 1_000),
            ("1970-01-01T01:00:00+01:00", 0), ("1969-12-31T23:30:00-00:30", 0),
            ("1970-01-01T00:00:00.5Z", 500), ("1970-01-01T00:00:00.123456Z", 123),
            ("2016-12-31T23:59:60Z", 1_483_228_799_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000),
            ("1970-01-01T00:00Z", nil), ("1970-01-01", nil), ("1970-01-01T00:00:00", nil),
            ("1970-02-30T00:00:00Z", nil), ("1970-01-01T24:00:00Z", nil),
            ("1970-01-01T00:00:00+1:00", nil), ("1970-01-01T00:00:00.Z", nil),
            ("9999-01-01T00:00:00Z", nil), ("tomorrow", nil), ("", nil),
            ("1970-01-01T00:00:00Zx", nil),
            ("0000-12-31T23:59:59Z", nil), ("+1970-01-01T00:00:00Z", nil),
            ("01970-01-01T00:00:00Z", nil), ("-1970-01-01T00:00:00Z", nil),
        ] as [(String, Int64?)])
    func times(text: String, milliseconds: Int64?) {
        #expect(PointInTime(rfc3339: text)?.milliseconds == milliseconds)
    }
}
