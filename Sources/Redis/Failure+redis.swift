package import Basics

extension Failure {
    /// Returns the failure for an error of a connection, with advice.
    package init(_ error: RedisError, at address: RedisAddress) {
        let (code, advice) = Self.meaning(of: error.code)
        let place = if case .refused = error.code { "\(address) refuses: " } else { "" }
        self.init(code, place + error.message + advice, cause: error)
    }

    private static func meaning(of code: RedisError.Code) -> (code: Code, advice: String) {
        switch code {
        case .badAddress: (.badUsage, "")
        case .unreachable: (.unavailable, "; is the server running, and is this its address?")
        case .replica: (.replica, "; give the address of the primary, or try again when this server is promoted")
        case .timedOut, .disconnected: (.unavailable, "; trying again may help")
        case .refused(let word): meaning(ofRefusal: word)
        }
    }

    /// The word of a script that finds another process publishing.
    package static var lostLeaseWord: String { "LEASELOST" }

    private static func meaning(ofRefusal word: String) -> (Code, String) {
        switch word {
        case "OOM": (.fileFailed, "; raise the server's maxmemory, or prune old versions, and publish again")
        case "LOADING": (.unavailable, "; the server is reading its data from disk: try again when it is done")
        case "MISCONF": (.fileFailed, "; the server cannot save to its disk: see its log")
        case "NOAUTH": (.notPermitted, "; give a password: redis://:password@host, or redis://user:password@host")
        case "WRONGPASS": (.notPermitted, "; check the user and the password")
        case "NOPERM": (.notPermitted, "; \"Several daemons\" has the rights that a user of the server needs")
        case "WRONGTYPE": (.corrupt, "; another program uses a key of this name: choose another prefix or database")
        case "MOVED", "ASK", "CROSSSLOT", "CLUSTERDOWN":
            (
                .badUsage,
                "; this is a Redis Cluster: a store needs one server, with replicas and Sentinels if you like"
            )
        case lostLeaseWord: (.busy, "; publish again")
        case "BUSY", "TRYAGAIN", "MASTERDOWN": (.unavailable, "; try again later")
        default: (.unavailable, "")
        }
    }
}
