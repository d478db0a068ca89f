import CommandLine
import Service

/// An option of `coterie serve` that a running daemon takes up when its value changes.
struct LiveOption: Sendable {
    /// Takes the value that a command line has for the option of this name.
    typealias Take = @Sendable (_ settings: inout LiveSettings, _ parsed: ParsedCommand, _ name: String) throws -> Void

    let option: Option
    fileprivate let take: Take

    func read(_ parsed: ParsedCommand, into settings: inout LiveSettings) throws {
        try take(&settings, parsed, option.name)
    }
}

extension Option {
    fileprivate func live(_ take: @escaping LiveOption.Take) -> LiveOption { LiveOption(option: self, take: take) }
}

/// The options that a running daemon takes up, each with the setting that its value becomes.
enum LiveOptions {
    /// The options about access, addresses and limits.
    static let limits: [LiveOption] = [
        Option(
            "token-years", "N",
            help: "The most years that a time in a token may lie ahead; this refuses times in milliseconds",
            default: "\(TokenChecker.usualYearLimit)", type: .integer(1...1000),
            setting: Setting("access.tokenYears", isLive: true)
        ).live { $0.access.checker.yearLimit = try $1.integer($2) },
        Option(
            "token-leeway", "SECONDS",
            help: "The most seconds that the claim nbf of a token may lie ahead, because clocks differ",
            default: "\(TokenChecker.usualLeewaySeconds)", type: .integer(0...3600),
            setting: Setting("access.tokenLeewaySeconds", isLive: true)
        ).live { $0.access.checker.leewaySeconds = try $1.integer($2) },
        Option(
            "open", "AREAS",
            help: """
                The areas that need no token, separated by commas: \
                \(Area.allCases.map(\.rawValue).joined(separator: ", "))
                """,
            environment: "COTERIE_OPEN", setting: Setting("access.open", isLive: true), isRepeating: true
        ).live { $0.access.openAreas = try areas($1, $2) },
        Option(
            "allow-origin", "ORIGIN",
            help: "Let pages of this site, such as https://photos.example, read answers in a browser; * for any",
            environment: "COTERIE_ALLOW_ORIGIN", setting: Setting("access.allowOrigin", isLive: true),
            isRepeating: true
        ).live { $0.crossOrigin = try crossOrigin($1, $2) },
        Option(
            "group-url", "TEMPLATE",
            help: "The address of a group's page on the site, such as https://photos.example/groups/{id}",
            setting: Setting("site.groupUrl", isLive: true)
        ).live { $0.addresses.groups = try address($1, $2, hasSize: false) },
        Option(
            "photo-url", "TEMPLATE",
            help: "The address of a photo's picture, such as https://pictures.example/{id}_{size}.jpg",
            setting: Setting("site.photoUrl", isLive: true)
        ).live { $0.addresses.photos = try address($1, $2, hasSize: true) },
        Option(
            "apple-app", "ID",
            help: "An app for iOS that opens these pages of groups, such as ABCDE12345.com.example.photos",
            setting: Setting("site.appleApps", isLive: true), isRepeating: true
        ).live {
            for app in $1.texts($2) where !$0.apps.add(appleApp: app) {
                throw wrong(app, $2, "the id of the team and of the bundle, such as ABCDE12345.com.example.photos")
            }
        },
        Option(
            "android-app", "PACKAGE=SHA256",
            help: "An app for Android that opens these pages, with the fingerprint of its certificate",
            setting: Setting("site.androidApps", isLive: true), isRepeating: true
        ).live {
            for app in $1.texts($2) where !$0.apps.add(androidApp: app) {
                throw wrong(
                    app, $2,
                    "the package, = and the SHA-256 fingerprint of its certificate, such as "
                        + "com.example.photos=14:6D:E9:…, which has 32 pairs of digits")
            }
        },
        Option(
            "member-rate", "N",
            help: "Requests per second that this daemon accepts from each member and admin\(burst)", default: "20",
            type: rates, setting: Setting("limits.memberRate", isLive: true)
        ).live {
            let rate = try rate($1, $2)
            ($0.rateLimits.bearers[.member], $0.rateLimits.bearers[.admin]) = (rate, rate)
        },
        Option(
            "service-rate", "N",
            help: "Requests per second that this daemon accepts from each service\(burst)", default: "0",
            type: rates, setting: Setting("limits.serviceRate", isLive: true)
        ).live { $0.rateLimits.bearers[.service] = try rate($1, $2) },
        Option(
            "open-rate", "N",
            help: """
                Requests per second that this daemon accepts in each open area, from all callers together\(burst)
                """,
            default: "200", type: rates, setting: Setting("limits.openRate", isLive: true)
        ).live { $0.rateLimits.openArea = try rate($1, $2) },
        Option(
            "member-interactions", "N",
            help: "Interactions that this daemon records of each member in a day; 0 for no limit",
            default: "\(MemberQuota.usual.interactionsPerDay ?? 0)", type: .integer(0...1_000_000_000),
            setting: Setting("limits.memberInteractions", isLive: true)
        ).live { $0.quota.interactionsPerDay = try dailyLimit($1, $2) },
        Option(
            "member-kept", "MIB",
            help: "Interactions that are kept of each member, in MiB; 0 for no limit",
            default: "\((MemberQuota.usual.keptBytes ?? 0) >> 20)", type: .integer(0...1 << 20),
            setting: Setting("limits.memberKeptMiB", isLive: true)
        ).live {
            let mebibytes = try $1.integer($2)
            $0.quota.keptBytes = mebibytes > 0 ? mebibytes << 20 : nil
        },
    ]

    /// The options about pages and versions.
    static let pages: [LiveOption] = [
        Option(
            flag: "no-page-photos", help: "Show no photos on these pages, although --photo-url is known",
            setting: Setting("serve.noPagePhotos", isLive: true)
        ).live { $0.addresses.arePhotosOnPages = !$1.flag($2) },
        Option(
            "stale-after", "DURATION", help: "The age at which /readyz calls a version stale, such as 36h or 14d",
            default: "14d", type: .duration(60...3650 * 86400),
            setting: Setting("serve.staleAfter", isLive: true)
        ).live { $0.staleAfter = try $1.duration($2) },
    ]

    static let logs: [LiveOption] = [
        Option(
            flag: "log-requests", help: "Log every request, not only refused ones",
            setting: Setting("serve.logRequests", isLive: true)
        ).live { $0.logsRequests = $1.flag($2) },
        Option(
            "log-members", "WORD", help: "Whether paths in the log have ids; with no, they have digests",
            default: "yes", allowed: ["yes", "no"], setting: Setting("serve.logMembers", isLive: true)
        ).live { $0.logsMembers = $1.text($2) == "yes" },
    ]

    static let all = limits + pages + logs

    private static let rates = ValueType.integer(0...500_000)
    private static let burst = "; a burst may be twice as large; 0 for no limit"

    private static func wrong(_ text: String, _ option: String, _ form: String) -> UsageError {
        UsageError("--\(option) is \"\(text)\": give \(form)")
    }

    private static func areas(_ parsed: ParsedCommand, _ option: String) throws(UsageError) -> Set<Area> {
        var areas: Set<Area> = []
        for name in parsed.texts(option).flatMap({ $0.split(separator: ",") }) {
            guard let area = Area(rawValue: String(name)) else {
                let names = Area.allCases.map(\.rawValue).joined(separator: ", ")
                throw parsed.badValue(
                    String(name), of: option, expected: "one or more of \(names), separated by commas")
            }
            areas.insert(area)
        }
        return areas
    }

    private static func crossOrigin(_ parsed: ParsedCommand, _ option: String) throws(UsageError) -> CrossOriginPolicy {
        let origins = parsed.texts(option).flatMap { $0.split(separator: ",").map(String.init) }
        for origin in origins where !CrossOriginPolicy.isOrigin(origin) {
            throw wrong(
                origin, option,
                "a scheme and a host in lower case, without a path, such as https://photos.example or "
                    + "capacitor://localhost")
        }
        return CrossOriginPolicy(origins: origins)
    }

    private static func address(_ parsed: ParsedCommand, _ option: String, hasSize: Bool) throws(UsageError)
        -> AddressTemplate?
    {
        guard let text = parsed.textIfGiven(option) else { return nil }
        guard let template = AddressTemplate(text, hasSize: hasSize) else {
            let example = hasSize ? "https://pictures.example/{id}_{size}.jpg" : "https://photos.example/groups/{id}"
            throw wrong(
                text, option, "an address with {id}\(hasSize ? " and perhaps {size}" : "") in it, such as \(example)")
        }
        return template
    }

    /// Returns the rate of an option, with bursts of twice the rate of a second, or `nil` for no limit.
    private static func rate(_ parsed: ParsedCommand, _ option: String) throws(UsageError) -> RateLimit? {
        let perSecond = try parsed.integer(option)
        return perSecond > 0 ? RateLimit(perSecond: perSecond, burst: 2 * perSecond) : nil
    }

    private static func dailyLimit(_ parsed: ParsedCommand, _ option: String) throws(UsageError) -> Int? {
        let perDay = try parsed.integer(option)
        guard perDay == 0 || perDay >= MemberQuota.fewestInteractions else {
            throw UsageError(
                "--\(option) is \(perDay): a batch may have \(MemberQuota.fewestInteractions), so it is 0 or "
                    + "more than that")
        }
        return perDay > 0 ? perDay : nil
    }
}
