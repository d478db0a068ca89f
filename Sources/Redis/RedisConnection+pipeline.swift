extension RedisConnection {
    /// Sends one of many commands without waiting for its reply.
    ///
    /// When `window` replies are outstanding, half of them are received: so neither side's memory grows with the number
    /// of commands, and while one half is read the server works at the other. End with `finishPipeline`. After an
    /// error, replies may be outstanding; drop the connection then.
    ///
    /// - Parameters:
    ///   - window: the most replies outstanding, 1 or more.
    ///   - adapt: turns an error of the connection into the caller's kind.
    ///   - take: is given the replies, in the order of the commands.
    public mutating func pipeline<Failure: Error>(
        _ command: RedisCommand, window: Int, adapt: (RedisError) -> Failure,
        _ take: (borrowing ReceivedReply) throws(Failure) -> Void
    ) throws(Failure) {
        if outstanding >= window { try finishPipeline(leaving: window / 2, adapt: adapt, take) }
        do throws(RedisError) {
            try send(command)
        } catch {
            throw adapt(error)
        }
    }

    /// Receives the replies that are outstanding, but for the last `count`.
    public mutating func finishPipeline<Failure: Error>(
        leaving count: Int = 0, adapt: (RedisError) -> Failure,
        _ take: (borrowing ReceivedReply) throws(Failure) -> Void
    ) throws(Failure) {
        while outstanding > count { try take(adapting(adapt)) }
    }

    private mutating func adapting<Failure: Error>(_ adapt: (RedisError) -> Failure) throws(Failure) -> ReceivedReply {
        do throws(RedisError) {
            return try receive()
        } catch {
            throw adapt(error)
        }
    }
}
