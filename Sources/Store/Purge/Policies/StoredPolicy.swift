import ShaleBase

/// An automatic policy in the form stored in the catalogue. On disk, do not change: age i64 (milliseconds, 0 none) |
/// bytes i64 (−1 none) | trim to (binary64) | order u8 | since i64, the time when the namespace got an automatic
/// policy.
struct StoredPolicy: Equatable, Sendable {
    static let byteCount = 33

    var policy: PurgePolicy
    var since: Int64

    init(_ policy: PurgePolicy, since: Int64) {
        self.policy = policy
        // Rounded as decoding will return it.
        self.policy.maximumAge = policy.maximumAge.map { .milliseconds(max(1, $0.wholeMilliseconds)) }
        self.since = since
    }

    func encode(into buffer: inout ByteBuffer) {
        buffer.append(policy.maximumAge?.wholeMilliseconds ?? 0)
        buffer.append(policy.maximumBytes ?? -1)
        buffer.append(policy.trimTo.bitPattern)
        buffer.append(policy.order.rawValue)
        buffer.append(since)
    }

    /// `nil` for an order of a newer version.
    init?(_ field: inout ByteReader) throws(ParseFailure) {
        let age = try field.i64("the age")
        let bytes = try field.i64("the capacity")
        let trimTo = Double(bitPattern: try field.u64("the trim"))
        let order = PurgePolicy.Order(rawValue: try field.u8("the order"))
        since = try field.i64("the policy's start")
        guard age >= 0, bytes >= -1, 0...1 ~= trimTo else { throw ParseFailure("a purge policy is out of range") }
        guard let order else { return nil }
        policy = PurgePolicy(
            maximumAge: age == 0 ? nil : .milliseconds(age), maximumBytes: bytes < 0 ? nil : bytes, trimTo: trimTo,
            order: order)
    }
}
