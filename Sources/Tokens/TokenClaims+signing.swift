extension TokenClaims {
    /// A token with these claims.
    ///
    /// - Parameters:
    ///   - key: it signs.
    ///   - audience: whom the token is meant for.
    ///   - issuer: who makes it; nil to leave that out.
    /// - Throws: `TokenError.badClaim` if a claim cannot be written, as one with a NUL in it.
    public func token(signedWith key: SigningKey, audience: String, issuer: String? = nil) throws(TokenError) -> String
    {
        for (name, value) in [("sub", subject), ("aud", audience), ("iss", issuer ?? "")] where value.utf8.contains(0) {
            throw TokenError(.badClaim, "the claim \(name) has a NUL in it")
        }
        let token = try JSONWebToken()
        try token.add("sub", subject)
        try token.add("role", role.rawValue)
        try token.add("aud", audience)
        if let issuer { try token.add("iss", issuer) }
        try token.add("nbf", Int(validFromMilliseconds / 1000))
        // Up to the next second, so that it is valid for no shorter than was asked for.
        try token.add("exp", Int((expiresAtMilliseconds + 999) / 1000))
        return try token.encoded(signedWith: key)
    }
}
