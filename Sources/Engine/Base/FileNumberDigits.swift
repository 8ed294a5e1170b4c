extension UInt64 {
    /// The number of a file as ten decimal digits or more. Names on disk contain them, do not change.
    package var fileNumberDigits: String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, 10 - digits.count)) + digits
    }
}
