import ShalePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Draws values, many of them hostile and all of them from small sets, so that records agree often.
struct SpecimenValues {
    let random: SeededRandom
    /// The number of primary keys.
    let keys: Int

    private static let texts = [
        "", "a", "ab", "a\0", "\0", "a\u{1}", "é", "e\u{301}", "z", "A", "\u{10FFFF}", "Lund", "Lu", "Oslo",
    ]
    private static let ends = ["", "a", "b", "\0"]
    private static let reals = [
        0, -0.0, .nan, 1, -1, 1.5, .infinity, -.infinity, .leastNonzeroMagnitude, 1e300,
    ]

    private func any<Value>(_ values: [Value]) -> Value { values[random.below(values.count)] }

    private func isNil() -> Bool { random.below(6) == 0 }

    func integer() -> Int? { isNil() ? nil : any([0, 1, 2, 3, -1, -2, 255, 256, -256, .max, .min, 7]) }

    func unsigned() -> UInt64? { isNil() ? nil : any([0, 1, 2, 255, UInt64(Int64.max), UInt64(Int64.max) + 1, .max]) }

    func text() -> String? { isNil() ? nil : plainText() }

    func plainText() -> String {
        guard random.below(20) == 0 else { return any(SpecimenValues.texts) }
        // Around the length at which indexes cut.
        return String(repeating: "x", count: 510 + random.below(4)) + any(SpecimenValues.ends)
    }

    func real() -> Double? { isNil() ? nil : any(SpecimenValues.reals) }

    func small() -> Float? { isNil() ? nil : any([0.5, .nan, 1, 2.5, -.infinity]) }

    func blob() -> [UInt8]? {
        if isNil() { return nil }
        if random.below(30) == 0 { return [UInt8](repeating: 1, count: 511 + random.below(3)) }
        return any([[], [0], [1], [0, 0], [1, 0], [255], [255, 255]])
    }

    func flag() -> Bool? { isNil() ? nil : random.below(2) == 0 }

    func day() -> Date? {
        isNil() ? nil : Date(timeIntervalSinceReferenceDate: any([0, -0.0, 1, -1, 0.5, 1e9, -1e9]))
    }

    func mark() -> UUID? {
        if isNil() { return nil }
        let last = UInt8(random.below(5))
        return UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, last))
    }

    func id() -> Int { random.below(keys) - keys / 3 }

    func code() -> String { "\(any(["", "a", "\0", "é", "e\u{301}"]))\(random.below(max(1, keys / 4)))" }

    func specimen() -> Specimen {
        var new = Specimen(id: id(), code: code())
        for _ in 0..<4 { change(&new, field: 2 + random.below(10)) }
        return new
    }

    /// Gives a field another value. The keys stay.
    func change(_ specimen: inout Specimen, field: Int) {
        switch field {
        case SpecimenField.integer: specimen.integer = integer()
        case SpecimenField.unsigned: specimen.unsigned = unsigned()
        case SpecimenField.text: specimen.text = text()
        // Foundation's encoder of property lists stores one of two canonically equivalent texts of a document, and one
        // of both zeros, for both. So no two fields of a record draw such values.
        case SpecimenField.note: specimen.note = text().map { "n" + $0 }
        case SpecimenField.real: specimen.real = real()
        case SpecimenField.small: specimen.small = small()
        case SpecimenField.blob: specimen.blob = blob()
        case SpecimenField.flag: specimen.flag = flag()
        case SpecimenField.day: specimen.day = day()
        default: specimen.mark = mark()
        }
    }
}
