extension UInt64 {
    /// The number as sixteen hexadecimal digits. Names on disk contain them, do not change.
    package var hexadecimalDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
