/// The name of a segment file in its directory: the number in decimal, with at least ten digits.
package enum SegmentFileName {
    package static func make(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 10 - digits.count)) + digits + ".seg"
    }
}
