extension UnixTime {
    /// Whole months since January 1970, in UTC; negative before.
    ///
    /// The calendar month is this modulo 12, January being 0.
    public var monthsSince1970: Int {
        let day = (Int(seconds) - (seconds < 0 ? 86_399 : 0)) / 86_400
        let date = CalendarDate(daysSince1970: day)
        return (date.year - 1970) * 12 + date.month - 1
    }
}
