/// Why arrays are not a matrix.
public enum MatrixError: Error, Equatable, CustomStringConvertible {
    /// More columns than a 32-bit index can name.
    case tooManyColumns(Int)
    /// More rows than a 32-bit index can name.
    case tooManyRows(Int)
    /// The offsets do not begin at 0 or do not end at the number of entries.
    case offsetsDoNotSpan
    /// A row ends before it begins.
    case offsetsDescend(row: Int)
    /// A row's columns are out of order, or one stands twice.
    case columnsNotAscending(row: Int)
    /// A row has a column that is not below the number of columns.
    case columnOutOfRange(row: Int)
    /// A pair has a row or a column that is not below the number of rows or columns.
    case pairOutOfRange(position: Int)

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .tooManyColumns(let count): "a matrix of \(count) columns: at most \(UInt32.max) can be indexed"
        case .tooManyRows(let count): "a matrix of \(count) rows: at most \(UInt32.max) can be indexed"
        case .offsetsDoNotSpan: "row offsets must begin at 0 and end at the number of entries"
        case .offsetsDescend(let row): "row \(row) ends before it begins"
        case .columnsNotAscending(let row): "the columns of row \(row) are not strictly ascending"
        case .columnOutOfRange(let row): "row \(row) has a column beyond the last"
        case .pairOutOfRange(let position): "pair \(position) (from 0) has a row or column beyond the last"
        }
    }
}
