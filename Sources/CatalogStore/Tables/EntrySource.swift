public import Model

/// Where a recompute reads who is in which group, and what is known of users and photos.
///
/// Rows of matrices are the shown groups of the catalog, in ascending order of the bytes of their ids. How users and
/// photos are numbered is the source's own affair: no version depends on it.
public protocol EntrySource: AnyObject {
    /// Estimates the work that each of some matrices makes; recent are dates in the last weeks.
    func workEstimates(_ sources: [RelationSource], recentWeeks: Int) throws(CatalogError) -> [WorkEstimate]

    /// Estimates how much content the photos have.
    func contentEstimate() throws(CatalogError) -> ContentEstimate

    /// Reads a matrix, keeps the dates of a window, and finds the columns' first days if asked; `progress` is told of
    /// the rows read so far, from any thread.
    func matrix(
        _ source: RelationSource, keeping window: ActivityWindow?, findingFirstDays findsFirstDays: Bool,
        progress: @escaping @Sendable (_ rows: Int) -> Void
    ) throws(CatalogError) -> MatrixReading

    /// Whether any photo may have tags or a location.
    func hasPhotoContent() throws(CatalogError) -> Bool

    /// Reads what is known of all public photos; terms of fewer photos than the minimum are left out.
    func photoContent(minimumPhotos: Int, progress: @escaping @Sendable (_ photos: Int) -> Void)
        throws(CatalogError) -> PhotoContent

    /// The texts of all users by their column in a matrix.
    func users() throws(CatalogError) -> UserTexts

    /// Calls `body` with what each member did beside joining and leaving, by column; see `CatalogSnapshot`.
    func forEachMember(impressionsSince: Int64, _ body: (_ column: Int, [Interaction]) -> Void) throws(CatalogError)
}

/// What users are called and say of themselves, by their column in a matrix.
public struct UserTexts: Sendable {
    /// External ids; that of a column without a user is empty.
    public internal(set) var ids = PackedTexts()
    /// Stated interests, separated by semicolons.
    public internal(set) var interests = PackedTexts()
}

extension CatalogSnapshot: EntrySource {
    /// Estimates the work that each of some matrices makes, several at once: counting tens of millions of rows takes
    /// half a second.
    public func workEstimates(_ sources: [RelationSource], recentWeeks: Int) throws(CatalogError) -> [WorkEstimate] {
        let estimates = try readParts(sources.count) { catalog, number throws(CatalogError) in
            (number: number, estimate: try catalog.workEstimate(sources[number], recentWeeks: recentWeeks))
        }
        return estimates.sorted { $0.number < $1.number }.map(\.estimate)
    }

    /// Estimates how much content the photos have.
    public func contentEstimate() throws(CatalogError) -> ContentEstimate { try catalog.contentEstimate() }
}
