import Basics
import Model
import RecordReading

/// The reason why a record is rejected, for the file of reasons.
struct RecordProblem: Error {
    let reason: String
    /// The index of the column, if only its value is unreadable and the row makes sense without it.
    var column: Int?
    /// The time in Unix seconds, if it is refused because it is ahead of the clock of the import.
    var aheadSeconds: Int64?
}

extension ImportKind.Column {
    /// Whether the current record sets this column, even to null.
    ///
    /// For a column of words, such as `visibility`, a null value does not set it.
    func isGiven(_ column: Int, in reader: borrowing RecordReader) -> Bool {
        reader.isPresent(column) && (type.words.isEmpty || !reader.isNull(column))
    }

    /// Checks that an external id has 1 to 255 bytes.
    ///
    /// The reader has already checked that it is UTF-8 without NUL.
    func checkID(_ column: Int, in reader: borrowing RecordReader) throws(RecordProblem) {
        guard !reader.isNull(column) else { throw RecordProblem(reason: "\(name) is empty") }
        let (count, isBlank) = reader.withField(column) { field in
            (field.count, field.indices.allSatisfy { field[$0] == UInt8(ascii: " ") })
        }
        guard !isBlank else { throw RecordProblem(reason: "\(name) has only blanks") }
        guard count <= 255 else {
            throw RecordProblem(
                reason: "\(name) has \(count) bytes: at most 255 are allowed", column: type.mayBeUnknown ? column : nil)
        }
    }

    /// Reads a time that is not null; returns nil for the zero time and for words that mean "no value".
    ///
    /// - Throws: `RecordProblem` also for a time that is ahead of the clock: later events would lose against it.
    func time(_ column: Int, in reader: borrowing RecordReader, _ options: ImportOptions) throws(RecordProblem)
        -> WrittenTime?
    {
        let time: WrittenTime
        do throws(WrittenTime.Problem) {
            time = try reader.withField(column) { bytes throws(WrittenTime.Problem) in
                try WrittenTime(bytes, in: options.zone)
            }
        } catch {
            let reason: String
            switch error {
            case .zero: return nil
            case .notATime where reader.withField(column, NullWord.matches): return nil
            case .notATime: reason = "is neither an ISO 8601 time nor a Unix time"
            case .outOfBounds: reason = "is not in the years 1800 to 2200"
            case .infinite: reason = "is no time that can be compared with others"
            case .smallNumber: reason = "is too small for a Unix time, which has nine digits or more"
            case .yearLast: reason = "is a day in an order that cannot be told; write it as 2026-11-01"
            }
            throw problem(column, in: reader, reason)
        }
        guard time.time.seconds > options.presentSeconds + RelationSource.clockLeadSeconds else { return time }
        var problem = problem(column, in: reader, "is ahead of this machine's clock")
        problem.aheadSeconds = time.time.seconds
        throw problem
    }

    /// Reads a number of degrees that is not null; returns nil for words that mean "no value".
    func degrees(_ column: Int, in reader: borrowing RecordReader, bound: Double) throws(RecordProblem) -> Double? {
        if let plain = reader.withField(column, { Double(plainDecimal: $0) }), abs(plain) <= bound { return plain }
        guard !reader.withField(column, NullWord.matches) else { return nil }
        guard let number = Double(reader.text(column)), abs(number) <= bound else {
            throw problem(column, in: reader, "is not a number of degrees from −\(Int(bound)) to \(Int(bound))")
        }
        return number
    }

    /// The greatest width and height of a picture, in pixels, inclusive.
    private static var pixelLimit: Int64 { 1_000_000 }

    /// Reads a number of pixels that is not null; returns nil for 0 and for words that mean "no value".
    func pixels(_ column: Int, in reader: borrowing RecordReader) throws(RecordProblem) -> Int64? {
        guard !reader.withField(column, NullWord.matches) else { return nil }
        guard let number = Int64(reader.text(column)), (0...Self.pixelLimit).contains(number) else {
            throw problem(column, in: reader, "is not a whole number of pixels from 1 to \(Self.pixelLimit)")
        }
        return number == 0 ? nil : number
    }

    private func problem(_ column: Int, in reader: borrowing RecordReader, _ what: String) -> RecordProblem {
        RecordProblem(
            reason: "\(name) \"\(reader.text(column).prefix(40))\" \(what)", column: type.mayBeUnknown ? column : nil)
    }

    /// Whether a field that is not null says yes: any text does, except words for "no" and for no value.
    func isMarked(_ column: Int, in reader: borrowing RecordReader) -> Bool {
        reader.withField(column) { field in
            !NullWord.matches(field) && !["0", "false", "f", "no", "n"].contains { field.spells($0) }
        }
    }

    /// Reads a word that is not null, and returns the number that the catalog stores for it.
    func code(_ column: Int, in reader: borrowing RecordReader, of words: [(word: String, code: Int64)])
        throws(RecordProblem) -> Int64
    {
        let code = reader.withField(column) { field in words.first { field.spells($0.word) }?.code }
        guard let code else {
            throw problem(column, in: reader, "is none of \(words.map(\.word).joined(separator: ", "))")
        }
        return code
    }
}

extension Span<UInt8> {
    /// Whether the bytes spell an ASCII word in any case, with blanks before and after it; `word` is in lower case.
    fileprivate func spells(_ word: String) -> Bool {
        let letters = word.utf8Span.span
        var (start, end) = (0, count)
        while start < end, self[start] == UInt8(ascii: " ") { start += 1 }
        while end > start, self[end - 1] == UInt8(ascii: " ") { end -= 1 }
        guard end - start == letters.count else { return false }
        for index in letters.indices {
            let byte = self[start + index]
            let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            if (isUpper ? byte | 0x20 : byte) != letters[index] { return false }
        }
        return true
    }
}

/// A value that the catalog stores as a small integer.
protocol Coded: RawRepresentable<String>, CaseIterable {
    var code: Int64 { get }
}

extension Coded {
    static var words: [(word: String, code: Int64)] { allCases.map { ($0.rawValue, $0.code) } }
}

extension Visibility: Coded {
    /// The words that a file may use.
    static var words: [(word: String, code: Int64)] {
        [Visibility.public, .private].map { ($0.rawValue, $0.code) }
    }
}
extension JoinPolicy: Coded {}

extension ImportKind.ColumnType {
    /// Whether an unreadable value can be left out instead of the whole record.
    ///
    /// A row needs its ids. A row with an unknown visibility must not become public, nor a member listed.
    var mayBeUnknown: Bool {
        switch self {
        case .id, .visibility, .yesOrNo: false
        case .owner, .text, .list, .time, .joinPolicy, .degrees, .pixels, .mark: true
        }
    }

    /// Whether no value takes back what an earlier file allowed.
    var isWithdrawnByNull: Bool { if case .yesOrNo = self { true } else { false } }

    var isTime: Bool { if case .time = self { true } else { false } }

    /// Whether a value consists of several texts.
    var isList: Bool { if case .list = self { true } else { false } }

    /// The words of the column with their codes; empty if the column has other values.
    var words: [(word: String, code: Int64)] {
        switch self {
        case .visibility: Visibility.words
        case .joinPolicy: JoinPolicy.words
        case .yesOrNo: [("yes", 1), ("no", 0), ("true", 1), ("false", 0), ("1", 1), ("0", 0)]
        default: []
        }
    }
}

extension Double {
    /// Creates a number from plain decimal notation such as `-12.345678`; nil for any other notation, or more than 15
    /// digits.
    ///
    /// The digits without the point and the power of ten are both exact. Their quotient is therefore the nearest number
    /// (W. D. Clinger, "How to read floating point numbers accurately", 1990). This takes a fraction of the time of the
    /// standard library's parser.
    init?(plainDecimal text: Span<UInt8>) {
        let isNegative = !text.isEmpty && text[0] == UInt8(ascii: "-")
        var digits: Int64 = 0
        var digitCount = 0
        var fractionCount: Int?
        for index in (isNegative ? 1 : 0)..<text.count {
            switch text[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits = digits * 10 + Int64(text[index] - UInt8(ascii: "0"))
                digitCount += 1
                fractionCount = fractionCount.map { $0 + 1 }
            case UInt8(ascii: ".") where fractionCount == nil && digitCount > 0: fractionCount = 0
            default: return nil
            }
            guard digitCount <= Self.exactDigits else { return nil }
        }
        guard digitCount > 0, fractionCount != 0 else { return nil }
        let magnitude = Double(digits) / Self.powersOfTen[fractionCount ?? 0]
        self = isNegative ? -magnitude : magnitude
    }

    /// The largest number of digits whose values are all below 2⁵³.
    private static let exactDigits = 15
    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
}
