package import Model

/// The scores in a version's lists, as exactly as possible without the catalog.
///
/// With equal weights (plain cosine, or the modified one with a = 0 and g = 0, unmixed), scores follow from the counts.
/// The scores are then computed in double precision. Otherwise the stored score of single precision is used. The result
/// is the decimal number with the fewest digits that stands for that score; unknown digits are not shown.
package struct ListedScores {
    private let model: ModelVersion
    private let relation: Relation
    private let formula: ListFormula?

    package init(_ relation: Relation, in model: ModelVersion, _ manifest: Manifest) {
        self.model = model
        self.relation = relation
        let formula = manifest[relation].flatMap(ListFormula.init)
        self.formula = formula?.followsFromCounts == true ? formula : nil
    }

    package func score(of neighbour: Neighbour, to group: Int) -> Double {
        guard let formula else { return Double(neighbour.score.description) ?? Double(neighbour.score) }
        return formula.score(
            common: Int(neighbour.common), sourceSize: Int(model.size(of: group, in: relation)),
            neighbourSize: Int(model.size(of: Int(neighbour.index), in: relation)))
    }
}
