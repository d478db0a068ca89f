/// Steps that change one file, each of which is acknowledged when it returns.
protocol Work {
    /// How many steps there are; `perform` takes one more, too.
    static var stepCount: Int { get }

    /// Begins to work on the files in a folder, which may be there.
    init(in folder: String) throws

    /// Does a step, and acknowledges it by returning.
    mutating func perform(_ step: Int) throws

    /// The steps that the files in a folder have.
    ///
    /// - Throws: if one is there in part, or if the files cannot be read.
    static func steps(in folder: String) throws -> Set<Int>

    /// Whether a loss of power may lose steps that were acknowledged.
    static var losesWithPower: Bool { get }
}

/// A step of which only a part is there, or a file that is not whole.
struct Damage: Error, CustomStringConvertible {
    let description: String
}

/// Whether a step is there.
///
/// - Throws: `Damage` unless all of its parts are there or none.
func isWhole(_ step: Int, _ count: Int?, of whole: Int) throws -> Bool {
    guard count == 0 || count == whole else {
        throw Damage(description: "step \(step) is there in part: \(count ?? -1) of \(whole)")
    }
    return count == whole
}
