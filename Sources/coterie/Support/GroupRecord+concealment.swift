import CatalogStore

extension GroupRecord {
    /// Why the group is shown to nobody, in a word; nil if it is shown.
    var concealment: String? { isHidden ? "hidden" : visibility == .private ? "private" : nil }
}
