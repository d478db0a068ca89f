import HTTP

/// Writes a line for every request that was answered.
enum RequestLog {
    /// A handler that answers as `responder` does, and logs as a JSON object if there is a log.
    static func wrap(_ responder: Responder, log: Daemon.Log?, now: @escaping @Sendable () -> Int64)
        -> HTTPServer.Handler
    {
        guard let log else { return { responder.respond(to: $0) } }
        return { request in
            let start = ContinuousClock.now
            let response = responder.respond(to: request)
            let (seconds, attoseconds) = start.duration(to: .now).components
            let line = JSONWriter.object { json in
                json.member("timeMilliseconds", now())
                json.member("method", request.method.rawValue)
                json.member("path", request.rawPath)
                json.member("status", response.status.rawValue)
                json.member("bodyBytes", response.body.count)
                json.member("microseconds", seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
            }
            log(String(decoding: line, as: UTF8.self))
            return response
        }
    }
}
