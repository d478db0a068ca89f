public import Model

/// The scores in a version's lists, as exactly as the version has them without its catalog.
///
/// Where every common entry weighs the same (plain cosine, and the modified one with a = 0 and g = 0), a score follows
/// in double precision from the counts beside it. Otherwise it is the stored one, of single precision: the decimal
/// number with the fewest digits that stands for it, so that no digit is shown that is not known.
public struct ListedScores {
    private let model: ModelVersion
    private let relation: Relation
    private let formula: ListFormula?

    /// The scores in the lists of a relation of a version.
    public init(_ relation: Relation, in model: ModelVersion, _ manifest: Manifest) {
        self.model = model
        self.relation = relation
        let formula = manifest[relation].flatMap(ListFormula.init)
        self.formula = formula?.followsFromCounts == true ? formula : nil
    }

    /// The score of a neighbour in the list of a group.
    public func score(of neighbour: Neighbour, to group: Int) -> Double {
        guard let formula else { return Double(neighbour.score.description) ?? Double(neighbour.score) }
        return formula.score(
            common: Int(neighbour.common), sourceSize: Int(model.size(of: group, in: relation)),
            neighbourSize: Int(model.size(of: Int(neighbour.index), in: relation)))
    }
}
