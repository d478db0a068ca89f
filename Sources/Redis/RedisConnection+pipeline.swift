extension RedisConnection {
    /// Sends one of many commands without waiting for its reply.
    ///
    /// When `window` replies are outstanding, half of them are received first. So the memory of neither side grows with
    /// the number of commands, and the server works on one half while the other is read. Call `finishPipeline` at the
    /// end. After an error, replies may still be outstanding: drop the connection.
    ///
    /// - Parameters:
    ///   - window: the most replies outstanding, 1 or more.
    ///   - adapt: converts an error of the connection to the caller's type.
    ///   - take: receives the replies, in the order of the commands.
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

    /// Receives the outstanding replies, except the last `count`.
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
