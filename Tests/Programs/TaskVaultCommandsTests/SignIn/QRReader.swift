/// Reads a QR code from a screen, by ISO/IEC 18004 alone: versions 1 to 5, level L, bytes. It corrects no errors.
struct QRReader {
    /// The places of the format's bits, the highest first.
    private static let format: [(Int, Int)] =
        [0, 1, 2, 3, 4, 5, 7, 8].map { (8, $0) } + [7, 5, 4, 3, 2, 1, 0].map { ($0, 8) }

    private let isDark: [[Bool]]
    private var size: Int { isDark.count }

    /// Finds the code on a screen whose light modules are printed; nil without one.
    init?(_ screen: String) {
        let lines = screen.split(whereSeparator: \.isNewline)
            .filter { $0.count > 28 && $0.allSatisfy { "█▀▄ ".contains($0) } }
        guard let width = lines.first?.count, lines.allSatisfy({ $0.count == width }) else {
            return nil
        }
        // Each line has two rows, and four modules around the code are light.
        let rows = lines.flatMap { line in
            ["█▀", "█▄"].map { light in line.map { !light.contains($0) } }
        }
        let inside = 4..<(width - 4)
        guard rows.count > inside.upperBound else { return nil }
        isDark = inside.map { Array(rows[$0][inside]) }
    }

    /// The text; nil if the code is of another kind.
    var text: String? {
        let version = (size - 17) / 4
        let format = Self.format.reduce(0) { 2 * $0 + (isDark[$1.0][$1.1] ? 1 : 0) } ^ 0x5412
        guard (1...5).contains(version), size % 4 == 1, format >> 13 == 1 else { return nil }
        let bits = bits(mask: format >> 10 & 7, hasAlignment: version > 1)
        func number(_ start: Int, _ count: Int) -> Int {
            bits[start..<(start + count)].reduce(0) { 2 * $0 + ($1 ? 1 : 0) }
        }
        // The mode of bytes, and their number.
        let count = number(4, 8)
        guard number(0, 4) == 4, bits.count >= 12 + 8 * count else { return nil }
        return String(
            decoding: (0..<count).map { UInt8(number(12 + 8 * $0, 8)) }, as: UTF8.self)
    }

    /// The data in pairs of columns from the right, upwards and downwards in turn.
    private func bits(mask: Int, hasAlignment: Bool) -> [Bool] {
        func isFunction(_ row: Int, _ column: Int) -> Bool {
            let far = size - 8
            let isCorner =
                row <= 8 && (column <= 8 || column >= far) || row >= far && column <= 8
            let center = size - 7
            let isAlignment =
                hasAlignment && abs(row - center) <= 2 && abs(column - center) <= 2
            return isCorner || isAlignment || row == 6 || column == 6
        }
        var bits: [Bool] = []
        // Column 6 is no data, and no part of a pair.
        let pairs =
            Array(stride(from: size - 1, to: 6, by: -2)) + Array(stride(from: 5, to: 0, by: -2))
        for (number, right) in pairs.enumerated() {
            for step in 0..<size {
                let row = number % 2 == 0 ? size - 1 - step : step
                for column in [right, right - 1] where !isFunction(row, column) {
                    bits.append(isDark[row][column] != Self.flips(mask, row, column))
                }
            }
        }
        return bits
    }

    private static func flips(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
        let (sum, product) = (row + column, row * column)
        let value =
            switch mask {
            case 0: sum % 2
            case 1: row % 2
            case 2: column % 3
            case 3: sum % 3
            case 4: (row / 2 + column / 3) % 2
            case 5: product % 2 + product % 3
            case 6: (product % 2 + product % 3) % 2
            default: (sum % 2 + product % 3) % 2
            }
        return value == 0
    }
}
