import ArgumentParser

/// A number of bytes in an argument: digits, optionally followed by a unit of powers of 1024.
struct ByteCountArgument: ExpressibleByArgument, Equatable {
    let bytes: UInt64

    init?(argument: String) {
        let units: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
        let unit = argument.last.flatMap { units[$0] }
        guard let number = UInt64(unit == nil ? argument[...] : argument.dropLast()), number > 0 else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: unit ?? 1)
        if overflows { return nil }
        self.bytes = bytes
    }
}
