import Answers
import Basics
import HTTP

/// Handles every request: identifies, routes, authorizes, checks, answers, compresses and counts it.
///
/// It is a class because every request passes it on, and a structure with so many fields is slow to copy.
final class Router: Sendable {
    private let endpoints: [Endpoint]
    private let table: RouteTable
    private let gate: Gate
    private let responder: Responder
    private let metrics: RequestMetrics
    private let log: RequestLog
    private let cache: AnswerCache?
    private let recorder: TapeRecorder?
    /// Whether there are pages for operators.
    private let hasPages: Bool
    /// The monotonic clock, in nanoseconds.
    private let uptime: @Sendable () -> UInt64
    private let identifiers: RequestIdentifiers
    private let refusals: RefusalDelay
    private let compressor = ResponseCompressor()
    private let recording: WorkThreads
    private let batches: WorkThreads

    /// Creates a router for endpoints.
    ///
    /// - Parameters:
    ///   - cache: the cache of answers; nil for none.
    ///   - recorder: records answered requests; nil to record none.
    ///   - previous: the replaced router, whose request ids, delayed responses and threads stay in use.
    init(
        _ endpoints: [Endpoint], responder: Responder, cache: AnswerCache?, metrics: RequestMetrics, log: RequestLog,
        recorder: TapeRecorder? = nil, uptime: @escaping @Sendable () -> UInt64 = { SystemClock.uptimeNanoseconds },
        replacing previous: Router? = nil
    ) {
        identifiers = previous?.identifiers ?? RequestIdentifiers()
        refusals = previous?.refusals ?? RefusalDelay()
        // There are more threads than changes in one commit: some may wait for an import that holds the catalog.
        recording = previous?.recording ?? WorkThreads(64, waiting: 256)
        batches = previous?.batches ?? WorkThreads(1, waiting: 8, niceness: 10)
        self.endpoints = endpoints
        table = RouteTable(endpoints.map { ($0.method, $0.pattern) })
        hasPages = endpoints.contains(where: \.isPage)
        let settings = responder.settings
        gate = Gate(
            policy: settings.access, limits: settings.rateLimits, crossOrigin: settings.crossOrigin,
            pages: hasPages ? responder.pages.sessions : nil)
        self.responder = responder
        self.metrics = metrics
        self.log = log
        (self.cache, self.recorder, self.uptime) = (cache, recorder, uptime)
    }

    /// A request, with the moment and the id that it got on arrival.
    private struct Arrival {
        let request: HTTPRequest
        let id: String
        let match: RouteTable.Match
        /// The arrival of the request, in nanoseconds of the monotonic clock.
        let uptime: UInt64
    }

    func respond(to request: HTTPRequest) -> HTTPReply {
        let uptime = uptime()
        metrics.began()
        let arrival = Arrival(
            request: request, id: identifiers.identifier(for: request),
            match: table.match(request.method, request.segments), uptime: uptime)
        if case .found(let number, let segments) = arrival.match, let threads = threads(of: endpoints[number]) {
            return respond(to: arrival, endpoints[number], segments, on: threads)
        }
        return refusals.reply(
            response(to: arrival) { () throws(Problem) in try answer(request, arrival.match, at: arrival.uptime) })
    }

    /// The field of requests whose answers say how long the server took, as `coterie replay` sends it.
    private static let timingField = "Coterie-Timing"

    /// Makes the response from an answer or a problem; logs and counts it.
    private func response(to arrival: Arrival, _ answer: () throws(Problem) -> HTTPResponse) -> HTTPResponse {
        let (request, id) = (arrival.request, arrival.id)
        var response: HTTPResponse
        do throws(Problem) {
            response = try answer()
            EntityTag.omitKnownBody(of: &response, for: request)
        } catch {
            note(error, request, id: id, at: arrival.uptime)
            response = problemResponse(error, to: request, arrival.match)
            compressor.compress(&response, for: request)
        }
        let methods = request.method == .options ? arrival.match.methods : nil
        responder.settings.crossOrigin.apply(to: &response, for: request, methods: methods)
        response.headers.append(name: RequestIdentifiers.fieldName, value: id)
        let nanoseconds = uptime() - arrival.uptime
        if request.headers[Self.timingField] != nil {
            response.headers.append(name: "Server-Timing", value: "total;dur=\(Double(nanoseconds / 1000) / 1000)")
        }
        metrics.ended(endpoint: arrival.match.endpoint, status: response.status, nanoseconds: nanoseconds)
        log.answered(request, response, id: id, nanoseconds: nanoseconds)
        if let recorder, arrival.match.endpoint.map({ endpoints[$0].isPage }) != true {
            recorder.add(
                AnsweredRequest(
                    request: request, response: response, endpoint: arrival.match.endpoint.map { endpoints[$0] },
                    atMilliseconds: responder.now() - Int64(nanoseconds / 1_000_000), nanoseconds: nanoseconds))
        }
        return response
    }

    /// Returns the response for a problem: a page if a page was asked for.
    private func problemResponse(
        _ problem: Problem, to request: HTTPRequest, _ match: RouteTable.Match
    ) -> HTTPResponse {
        let isPage = match.endpoint.map { endpoints[$0].isPage } ?? request.rawPath.hasPrefix(Endpoint.pagesPath)
        guard hasPages, isPage else { return problem.response(instance: request.rawPath) }
        let secret = responder.pages.sessions.secret(for: request.headers)
        let forms = PageForms(secret: secret, canSignOut: gate.knowsTokens)
        return problem.page(for: request, forms, formPage: formPage(of: request))
    }

    /// Returns the path of the page that a form is on: the form's own path, or the beginning of it that is a page.
    private func formPage(of request: HTTPRequest) -> String {
        var (path, segments) = (request.rawPath[...], request.segments[...])
        while segments.count > 1 {
            if case .found = table.match(.get, Array(segments)) { return String(path) }
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
            segments.removeLast()
        }
        return "/admin"
    }

    /// Returns the threads that make an endpoint's answers, or nil for the threads of the server.
    private func threads(of endpoint: Endpoint) -> WorkThreads? {
        switch endpoint.threads {
        case .server: nil
        case .recording: recording
        case .batch: batches
        }
    }

    /// Queues the answer on other threads, if the request is admitted and the queue has room.
    private func respond(
        to arrival: Arrival, _ endpoint: Endpoint, _ segments: [String], on threads: WorkThreads
    ) -> HTTPReply {
        do throws(Problem) {
            let path = endpoint.path(segments)
            let bearer = try admit(arrival.request, to: endpoint, path, at: arrival.uptime)
            let later = LaterResponse()
            let isTaken = threads.add { [self] in
                refusals.finish(
                    later,
                    response(to: arrival) { () throws(Problem) in
                        try shown(handle(arrival.request, endpoint, path, bearer), since: arrival.uptime)
                    })
            }
            guard isTaken else { throw .tooManyWait(threads.waitingLimit) }
            return .later(later)
        } catch { return refusals.reply(response(to: arrival) { () throws(Problem) in throw error }) }
    }

    /// Returns the response to a request that the server refused before it was routed.
    func refuse(_ error: HTTPError) -> HTTPResponse {
        let id = identifiers.new()
        let problem = Problem.refused(error)
        note(problem, nil, id: id, at: uptime())
        var response = problem.response(instance: nil)
        response.headers.append(name: RequestIdentifiers.fieldName, value: id)
        return response
    }

    private func answer(
        _ request: HTTPRequest, _ match: RouteTable.Match, at uptime: UInt64
    ) throws(Problem) -> HTTPResponse {
        switch match {
        case .found(let number, let segments):
            return try answer(request, endpoints[number], segments: segments, at: uptime)
        case .methodNotAllowed(let methods):
            let allowed = methods + [.options]
            guard request.method == .options else { throw .methodNotAllowed(request.method, allowed: allowed) }
            return HTTPResponse(
                status: .noContent, headers: ["Allow": allowed.map(\.rawValue).joined(separator: ", ")])
        case .notFound:
            // OPTIONS for the whole server is a health check of load balancers.
            guard request.method == .options, request.segments.isEmpty else { throw .noSuchPath() }
            return HTTPResponse(status: .noContent, headers: ["Allow": "GET, HEAD, POST, PUT, DELETE, OPTIONS"])
        }
    }

    private func answer(
        _ request: HTTPRequest, _ endpoint: Endpoint, segments: [String], at uptime: UInt64
    ) throws(Problem) -> HTTPResponse {
        let path = endpoint.path(segments)
        let bearer = try admit(request, to: endpoint, path, at: uptime)
        // Requests are checked first: a cached answer reaches only clients that may have it.
        guard let cache, let subject = subject(of: endpoint, path) else {
            return try shown(handle(request, endpoint, path, bearer), since: uptime)
        }
        let key = AnswerKey(request, takesGzip: ResponseCompressor.takesGzip(request), hasBearer: bearer != nil)
        return shown(
            try cache.answer(to: key, about: subject) { () throws(Problem) in
                try handle(request, endpoint, path, bearer)
            }, since: uptime)
    }

    /// Records the pages that an answer shows, and returns its response; also for answers from the cache.
    ///
    /// The pages of a batch share the time of the answer equally.
    ///
    /// - Parameter uptime: the arrival of the request, in nanoseconds of the monotonic clock.
    private func shown(_ answer: AnswerCache.Answer, since uptime: UInt64) -> HTTPResponse {
        if !answer.shownPages.isEmpty, let exposures = responder.lists.experiments?.exposures {
            let (now, nanoseconds) = (responder.now(), self.uptime() - uptime)
            let microseconds = Int64(nanoseconds / 1000) / Int64(answer.shownPages.count)
            for page in answer.shownPages {
                page.note(
                    in: exposures, atMilliseconds: now, microseconds: microseconds,
                    settings: responder.settings.listSettings)
            }
        }
        return answer.response
    }

    /// Checks that a request is allowed.
    ///
    /// - Returns: the claims of the request's token; nil if the route needs no token.
    private func admit(
        _ request: HTTPRequest, to endpoint: Endpoint, _ path: PathParameters, at uptime: UInt64
    ) throws(Problem) -> TokenClaims? {
        let bearer = try gate.admit(request, to: endpoint.access, path: path, at: responder.now(), uptime: uptime)
        try path.checkLengths()
        return bearer
    }

    /// Returns the subject whose changes invalidate an answer, or nil if the answer is never reused.
    private func subject(of endpoint: Endpoint, _ path: PathParameters) -> AnswerCache.Subject? {
        switch endpoint.reuse {
        case .never: nil
        case .untilChange: .everybody
        case .untilMemberChange(let member): responder.lists.sessions == nil ? nil : .member(path[member])
        }
    }

    /// Makes the answer to an authorized request, compressed and with its header fields.
    private func handle(
        _ request: HTTPRequest, _ endpoint: Endpoint, _ path: PathParameters, _ bearer: TokenClaims?
    ) throws(Problem) -> AnswerCache.Answer {
        let parameters = try RequestParameters(request.query, declared: endpoint.parameters)
        if let body = endpoint.body, body.isRequired || !request.body.isEmpty { try Self.checkJSON(request) }
        try checkEncoding(of: path, request, endpoint, bearer)
        let call = Call(
            responder: responder, path: path, parameters: parameters, bearer: bearer,
            isOpen: gate.knowsTokens && bearer == nil, headers: request.headers, gate: gate, body: request.body,
            state: responder.follower.current, isHead: request.method == .head,
            shownPages: responder.lists.experiments == nil || request.method == .head ? nil : Locked([]))
        var response = try endpoint.handler(call)
        // A shared cache must not give an answer for bearers to clients without a token.
        let caching = bearer != nil && endpoint.caching == .shared ? .sharedAmongBearers : endpoint.caching
        response.headers.append(name: "Cache-Control", value: caching.rawValue)
        if endpoint.caching != .never { EntityTag.add(to: &response) }
        compressor.compress(&response, for: request)
        return AnswerCache.Answer(
            response: response, sessionUse: sessionUse(of: endpoint, path, parameters),
            shownPages: call.shownPages?.withLock(\.self) ?? [], isReusable: call.reuse.isAllowed)
    }

    /// Returns the session whose list the answer shows, or nil for other answers.
    private func sessionUse(
        of endpoint: Endpoint, _ path: PathParameters, _ parameters: RequestParameters
    ) -> SessionUse? {
        guard case .untilMemberChange(let member) = endpoint.reuse else { return nil }
        return responder.lists.sessions?.use(ofUser: path[member], session: parameters.sessionName)
    }

    private static func checkJSON(_ request: HTTPRequest) throws(Problem) {
        let type = request.headers["Content-Type"]?.split(separator: ";").first?.trimmingSpaces
        guard type?.lowercased() == "application/json" else { throw .notJSON() }
        if let coding = request.headers["Content-Encoding"], coding.lowercased() != "identity" {
            throw .encodedBody(coding)
        }
    }

    /// Refuses a member's id that was percent-encoded twice, or in a write as in a form, with a plus for a space.
    ///
    /// Such an id is unknown. An id that was encoded twice is known in its decoded form, and an unknown id with a true
    /// plus can be written with `%2B`. Otherwise interactions would be recorded for a member who does not exist.
    private func checkEncoding(
        of path: PathParameters, _ request: HTTPRequest, _ endpoint: Endpoint, _ bearer: TokenClaims?
    ) throws(Problem) {
        // A member's own token proves the id.
        let isWrite = endpoint.method != .get && bearer?.role != .member
        for parameter in endpoint.pathParameters where parameter.isMember {
            let id = path[parameter.name]
            let decodings = PercentEncoding.decodings(of: id)
            let hasPlus = isWrite && [id, request.rawPath].allSatisfy { $0.utf8.contains(UInt8(ascii: "+")) }
            guard !decodings.isEmpty || hasPlus, let community = responder.community,
                let snapshot = responder.follower.current.snapshot.map({ VisibleSnapshot($0) })
            else { continue }
            func isKnown(_ id: String) throws(Problem) -> Bool {
                do throws(Failure) {
                    return try community.profile(ofUser: id, in: snapshot, atMilliseconds: responder.now()) != nil
                } catch { throw .unavailable(error) }
            }
            guard try !isKnown(id) else { continue }
            for decoded in decodings where try isKnown(decoded) { throw .encodedTwice(parameter.name, id) }
            if hasPlus { throw .ambiguousPlus(parameter.name, id) }
        }
    }

    private func note(_ problem: Problem, _ request: HTTPRequest?, id: String, at uptime: UInt64) {
        guard let refusal = problem.refusal else { return }
        metrics.refused(refusal)
        log.refused(refusal, problem.details.detail, request, id: id, at: uptime)
    }
}

extension RouteTable.Match {
    /// The number of the endpoint; nil if no endpoint matches.
    fileprivate var endpoint: Int? {
        guard case .found(let number, _) = self else { return nil }
        return number
    }

    /// The methods of the path if it lacks the requested one, else nil.
    fileprivate var methods: [HTTPMethod]? {
        guard case .methodNotAllowed(let methods) = self else { return nil }
        return methods
    }
}

extension Substring {
    /// The text without the spaces and tabs around it.
    var trimmingSpaces: Substring {
        let begin = firstIndex { $0 != " " && $0 != "\t" } ?? endIndex
        let end = lastIndex { $0 != " " && $0 != "\t" }.map { index(after: $0) } ?? begin
        return self[begin..<end]
    }
}
