public import CatalogStore
public import Model
public import ModelStore

/// Why a recompute made no version current.
public enum RecomputeError: Error, CustomStringConvertible {
    /// The catalog could not be read.
    case catalog(CatalogError)
    /// The store failed.
    case store(StoreError)
    /// There is nothing to publish.
    case nothingToPublish(String)
    /// Less memory is available than the job will need.
    case tooLittleMemory(neededBytes: Int, availableBytes: Int)
    /// The model would be too large, or contradicts itself.
    case model(String)
    /// Those who share the work did not do it.
    case abandoned(String)
    /// The new version is published but not current, because it is too far from the current one.
    case refused(VersionName, current: VersionName, objections: [String])

    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .catalog(let error): error.description
        case .store(let error): error.description
        case .nothingToPublish(let reason): reason
        case .tooLittleMemory(let needed, let available):
            """
            this needs about \(needed >> 20) MiB of memory, and \(available >> 20) MiB are available: close other \
            programs, run it on a machine with more, or list fewer neighbours with --neighbours
            """
        case .model(let reason), .abandoned(let reason): reason
        case .refused(let new, let current, let objections):
            """
            version \(new) is published, and \(current) stays current, because they differ too much: \
            \(objections.joined(separator: "; ")). Look at it with "coterie models diff \(current) \(new)"; make it \
            current with "coterie rollback \(new)", or allow more with --max-lost, --max-emptied, --min-overlap, \
            --max-drift or --force
            """
        }
    }
}
