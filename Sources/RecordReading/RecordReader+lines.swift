extension RecordReader {
    /// Moves on to a line that has bytes, those of a line that was given up skipped; false at the end of the source.
    mutating func moveToNextLine() throws(RecordError) -> Bool {
        while true {
            if isSkippingLine { skipLine() }
            line = nextLine
            if input.unreadCount > 0 { return true }
            if input.isAtEnd { return false }
            try readMore()
        }
    }

    /// Skips to behind the next line feed, or all that has been read if it has none.
    private mutating func skipLine() {
        guard let end = lineFeed(in: input.start..<input.end) else {
            input.start = input.end
            return
        }
        input.start = end + 1
        nextLine += 1
        isSkippingLine = false
    }

    /// Moves on behind a record that ends at `end`, and behind the line feed there.
    mutating func stepOver(_ end: Int, innerLineFeeds: Int) {
        input.start = min(end + 1, input.end)
        nextLine = line + innerLineFeeds + 1
    }

    /// Rejects a record and gives up its first line only; the window must hold that line, or be full.
    mutating func giveUpLine(_ window: ScanWindow, _ reason: RejectionReason) -> RecordEvent {
        let end = lineFeed(in: window.start..<window.stop)
        let rejected = reject(window.start..<(end ?? window.stop), reason)
        if end == nil, window.isFull {
            isSkippingLine = true
            input.start = window.stop
        } else {
            stepOver(end ?? window.stop, innerLineFeeds: 0)
        }
        return rejected
    }

    /// Whether the window holds all of the line it begins with that it is ever going to hold.
    func isLineWhole(_ window: ScanWindow) -> Bool {
        window.isFull || window.isAtEnd || lineFeed(in: window.start..<window.stop) != nil
    }

    /// Whether there is nothing from the window's start to `end`, or only the carriage return of CR LF.
    func isEmptyLine(_ window: ScanWindow, _ end: Int) -> Bool {
        end == window.start || end == window.start + 1 && input.bytes[window.start] == Byte.carriageReturn
    }

    /// The event for a record that is left out; the excerpt is taken from its first line.
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
