import CCrypto
import Basics
import Service

extension HealthFault {
    static let keysUnusable = HealthFault(
        .bad, "the key file cannot be used",
        advice: "mend its owner and mode, or make keys with \"coterie token --new-key\": no daemon can start")
    static let endingUnusable = HealthFault(
        .bad, "a certificate or token cannot be read",
        advice: "name a file with certificates (PEM), or with one token, that this user may read")
    static let ended = HealthFault(
        .bad, "a certificate or token has ended", advice: "renew it, and restart or reload what uses it")
    static let endsSoon = HealthFault(
        .warning, "a certificate or token ends soon", bound: .endingDays,
        advice: "renew it, and restart or reload what uses it")
}

extension HealthQuestion {
    static let ending = HealthQuestion(
        "keys", looksAt: "the key file, and certificates and tokens that end",
        faults: [.keysUnusable, .endingUnusable, .ended, .endsSoon]
    ) { check, _ in
        let keys = check.places.keys.map { path -> Finding in
            do throws(TokenError) {
                let count = try KeyFile(path: path).read().keys.count
                return .good(count == 1 ? "\(path) has one key" : "\(path) has \(count) keys")
            } catch {
                return .found(.keysUnusable, FileAccess.refusal(toRead: path) ?? error.message)
            }
        }
        return [keys].compactMap(\.self) + check.places.ending.map(check.endingFinding)
    }
}

extension HealthCheck {
    fileprivate func endingFinding(_ path: String) -> Finding {
        let content: [UInt8]
        do { content = try RegularFile.read(path, limitBytes: 1 << 20).bytes } catch {
            return .found(.endingUnusable, FileAccess.refusal(toRead: path) ?? error.message)
        }
        let isCertificate = content.firstRange(of: Array("-----BEGIN".utf8)) != nil
        let end = isCertificate ? Certificates.firstEnd(in: content, after: now) : Self.end(ofToken: content)
        let kind = isCertificate ? "certificate" : "token"
        guard let end else { return .found(.endingUnusable, "\(path) has no certificate and no token that ends") }
        let days = Int((end - now) / 86_400_000)
        guard end > now else { return .found(.ended, "the \(kind) \(path) ended \(-days) days ago") }
        guard days >= self[.endingDays] else { return .found(.endsSoon, "the \(kind) \(path) ends in \(days) days") }
        return .good("the \(kind) \(path) ends in \(days) days")
    }

    /// Returns the end of a token in Unix milliseconds, or `nil` if it is no token that ends.
    ///
    /// The signature is not checked: the end is the token's own.
    private static func end(ofToken bytes: [UInt8]) -> Int64? {
        struct Claims: Decodable {
            var exp: Double
        }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        guard let json = Base64URL.decode(parts[1].filter { !$0.isWhitespace }),
            let claims = try? JSON.decoded(Claims.self, from: json),
            abs(claims.exp) < 1e12
        else { return nil }
        return Int64(claims.exp * 1000)
    }
}

/// The certificates in a file, as OpenSSL reads them.
private enum Certificates {
    /// Returns the end of the certificate that ends first, in Unix milliseconds, or `nil` if there is none.
    ///
    /// - Parameter now: the present, in Unix milliseconds.
    static func firstEnd(in bytes: [UInt8], after now: Int64) -> Int64? {
        unsafe bytes.withUnsafeBytes { buffer -> Int64? in
            guard let source = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { return nil }
            defer { unsafe BIO_free(source) }
            let present = unsafe ASN1_TIME_set(nil, time_t(now / 1000))
            defer { unsafe ASN1_TIME_free(present) }
            var first: Int64?
            while let certificate = unsafe PEM_read_bio_X509(source, nil, nil, nil) {
                defer { unsafe X509_free(certificate) }
                var (days, seconds): (Int32, Int32) = (0, 0)
                guard unsafe ASN1_TIME_diff(&days, &seconds, present, X509_get0_notAfter(certificate)) == 1 else {
                    continue
                }
                let end = now + (Int64(days) * 86_400 + Int64(seconds)) * 1000
                first = min(first ?? end, end)
            }
            return first
        }
    }
}
