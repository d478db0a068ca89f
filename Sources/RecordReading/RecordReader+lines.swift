extension RecordReader {
    /// Moves to the next line, past the rest of one that was given up; false at the end of the source.
    mutating func moveToNextLine() throws(RecordError) -> Bool {
        while true {
            if isSkippingLine { skipLine() }
            isRecordCut = false
            hasJoinedQuotes = false
            line = nextLine
            if input.unreadCount > 0 { return true }
            if input.isAtEnd { return false }
            try readMore()
        }
    }

    /// Skips to after the next line feed; all unread bytes if there is none.
    private mutating func skipLine() {
        guard let end = lineFeed(in: input.start..<input.end) else {
            input.start = input.end
            return
        }
        input.start = end + 1
        nextLine += 1
        isSkippingLine = false
    }

    /// Moves past a record that ends at `end`, and past the line feed there.
    mutating func stepOver(_ end: Int, innerLineFeeds: Int) {
        input.start = min(end + 1, input.end)
        nextLine = line + innerLineFeeds + 1
    }

    /// Rejects a record and skips only its first line; the window must hold that line, or be full.
    mutating func giveUpLine(_ window: ScanWindow, _ reason: RejectionReason) -> RecordEvent {
        let end = lineFeed(in: window.start..<window.stop)
        let rejected = reject(window.start..<(end ?? window.stop), reason)
        recordRange = window.start..<(end ?? window.stop)
        isRecordCut = end == nil && window.isFull
        if end == nil, window.isFull {
            isSkippingLine = true
            input.start = window.stop
        } else {
            stepOver(end ?? window.stop, innerLineFeeds: 0)
        }
        return rejected
    }

    /// Whether reading more would not add to the first line of the window.
    func isLineWhole(_ window: ScanWindow) -> Bool {
        window.isFull || window.isAtEnd || lineFeed(in: window.start..<window.stop) != nil
    }

    /// Whether the window has nothing before `end`, or only the carriage return of CR LF.
    func isEmptyLine(_ window: ScanWindow, _ end: Int) -> Bool {
        end == window.start || end == window.start + 1 && input.bytes[window.start] == Byte.carriageReturn
    }

    /// The event for a rejected record, with an excerpt of its first line.
    func reject(_ range: Range<Int>, _ reason: RejectionReason) -> RecordEvent {
        // 201 bytes: the excerpt must know whether something follows the 200 it may show.
        let beginning = range.lowerBound..<min(range.upperBound, range.lowerBound + 201)
        let end = lineFeed(in: beginning) ?? beginning.upperBound
        let bytes = input.bytes.span
        let shown = range.lowerBound..<DelimitedScan.withoutCarriageReturn(bytes, from: range.lowerBound, to: end)
        return .rejected(RejectedRecord(line: line, reason: reason, excerpt: excerpt(of: bytes.extracting(shown))))
    }

    /// What is wrong with the bytes of a record as a text, if anything.
    func fault(in range: Range<Int>, hasNul: Bool, highBits: UInt8) -> RejectionReason? {
        if hasNul { return .nul }
        guard highBits >= 0x80 else { return nil }
        do {
            _ = try UTF8Span(validating: input.bytes.span.extracting(range))
            return nil
        } catch {
            return .notUTF8
        }
    }

    /// The first line feed of a range of the buffer.
    func lineFeed(in range: Range<Int>) -> Int? {
        let bytes = input.bytes.span
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] == Byte.lineFeed { return index }
            index += 1
        }
        return nil
    }
}
