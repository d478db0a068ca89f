import Model
import Recommendation

/// A directory that logs when it begins to fail, and when it answers again: once each, however many requests ask.
final class LoggedDirectory: MemberDirectory {
    private let directory: any MemberDirectory
    private let trouble: TroubleLog

    init(_ directory: any MemberDirectory, log: EventLog) {
        self.directory = directory
        trouble = TroubleLog(log)
    }

    var knowsPhotos: Bool { directory.knowsPhotos }

    func profile(ofUser id: String, in snapshot: ModelSnapshot, atMilliseconds instant: Int64) throws(ServiceError)
        -> MemberProfile?
    {
        try watching { () throws(ServiceError) in
            try directory.profile(ofUser: id, in: snapshot, atMilliseconds: instant)
        }
    }

    func siteDecisions(in snapshot: ModelSnapshot) throws(ServiceError) -> SiteDecisions {
        try watching { () throws(ServiceError) in try directory.siteDecisions(in: snapshot) }
    }

    func userIDs(near id: String) throws(ServiceError) -> [String] {
        try watching { () throws(ServiceError) in try directory.userIDs(near: id) }
    }

    func context(ofPhoto id: String, in snapshot: ModelSnapshot) throws(ServiceError) -> PhotoContext? {
        try watching { () throws(ServiceError) in try directory.context(ofPhoto: id, in: snapshot) }
    }

    func noteOutsideChanges(in changes: ChangeClock) { directory.noteOutsideChanges(in: changes) }

    private func watching<Result>(_ body: () throws(ServiceError) -> Result) throws(ServiceError) -> Result {
        do throws(ServiceError) {
            let result = try body()
            trouble.worked("memberships and photos can be read again")
            return result
        } catch {
            trouble.failed(error.message)
            throw error
        }
    }
}
