/// What stands between the fields of a record of delimited text.
public enum RecordDelimiter: String, Sendable, CaseIterable {
    /// `,`
    case comma
    /// A tabulator.
    case tab
    /// `;`, with which spreadsheets export where the comma is the decimal mark.
    case semicolon
    /// `|`
    case bar

    /// The delimiter as one byte.
    public var byte: UInt8 {
        switch self {
        case .comma: Byte.comma
        case .tab: Byte.tab
        case .semicolon: UInt8(ascii: ";")
        case .bar: UInt8(ascii: "|")
        }
    }
}
