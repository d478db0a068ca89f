import CSimilarity

/// The instructions that the search uses; all give the same result.
public enum ProcessorPath: String, Sendable, CaseIterable {
    /// Only instructions that every processor has.
    case portable = "scalar"
    /// x86-64 with AVX2.
    case avx2
    /// x86-64 with AVX-512 F, BW, DQ and VL.
    case avx512

    /// The paths that this processor supports, slowest first.
    public static var supported: [ProcessorPath] { allCases.filter { $0.code <= coterie_best_path() } }

    /// The fastest path that this processor supports.
    public static var fastest: ProcessorPath { supported.last ?? .portable }

    var code: Int32 {
        switch self {
        case .portable: Int32(COTERIE_PORTABLE)
        case .avx2: Int32(COTERIE_AVX2)
        case .avx512: Int32(COTERIE_AVX512)
        }
    }
}
