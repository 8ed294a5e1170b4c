/// The name of a segment's file inside its directory: the number in decimal, ten digits or more.
package enum SegmentFileName {
    package static func make(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 10 - digits.count)) + digits + ".seg"
    }
}
