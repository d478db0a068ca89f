extension Community {
    func writeUsers<Failure: Error>(
        _ line: inout LineBuffer, _ sink: (borrowing [UInt8]) throws(Failure) -> Void
    ) throws(Failure) -> Int {
        for user in 0..<parameters.users {
            line.append(memberNaming.identifier(of: user))
            line.appendTab()
            memberNaming.appendName(of: user, to: &line)
            line.appendTab()
            for (index, interest) in member(user).interests.enumerated() {
                if index > 0 { line.appendSemicolon() }
                line.append(Theme.all[interest.theme].name)
            }
            try endLine(&line, sink)
        }
        return parameters.users
    }
}
