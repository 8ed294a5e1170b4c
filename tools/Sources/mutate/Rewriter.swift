/// Puts mutations into a file, each behind a switch that the environment sets.
enum Rewriter {
    /// The lines of the rewritten file that a mutation takes.
    struct Place {
        let number: Int
        let lines: ClosedRange<Int>
    }

    /// `planted` must not overlap.
    static func rewrite(_ source: [UInt8], _ planted: [(number: Int, mutation: Mutation)]) -> ([UInt8], [Place]) {
        var output: [UInt8] = []
        var places: [Place] = []
        var position = 0
        var line = 1
        func append(_ bytes: some Sequence<UInt8>) {
            for byte in bytes {
                output.append(byte)
                if byte == UInt8(ascii: "\n") { line += 1 }
            }
        }
        for (number, mutation) in planted.sorted(by: { $0.mutation.range.lowerBound < $1.mutation.range.lowerBound }) {
            append(source[position..<mutation.range.lowerBound])
            let first = line
            append(mutation.replacement.replacing(Mutation.condition, with: "PlantedMutation.isActive(\(number))").utf8)
            places.append(Place(number: number, lines: first...line))
            position = mutation.range.upperBound
        }
        append(source[position...])
        // Behind everything else: no line moves.
        if !planted.isEmpty, !String(decoding: source, as: UTF8.self).contains("import ShaleBase") {
            append("\nimport ShaleBase\n".utf8)
        }
        return (output, places)
    }

    /// The source of the switch.
    static let switchSource = """
        #if canImport(Darwin)
            import Darwin
        #elseif canImport(Musl)
            import Musl
        #else
            import Glibc
        #endif

        package enum PlantedMutation {
            private static let active: Int = unsafe getenv("SHALE_MUTATION").flatMap { \
        unsafe Int(String(cString: $0)) } ?? 0

            @inline(never)
            package static func isActive(_ number: Int) -> Bool { number == active }
        }

        """
    static let switchPath = "Sources/Engine/Base/PlantedMutation.swift"
}
