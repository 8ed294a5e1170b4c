import ShaleBase

/// A canonical prefix code: shorter codes come first, codes of one length are in the order of their symbols.
///
/// The lengths determine the codes, so only lengths are stored.
struct PrefixCode: Sendable, Equatable {
    /// The length of each symbol's code in bits; 0 if the symbol has no code.
    let lengths: [UInt8]
    /// The code of each symbol. The bit that a decoder reads first is the lowest.
    let codes: [UInt16]

    /// Makes the code with these lengths.
    ///
    /// - Throws: If a length is over `limit`, or if there are not enough codes of these lengths.
    init(lengths: [UInt8], limit: Int) throws(ParseFailure) {
        var taken = 0
        for length in lengths where length > 0 {
            guard length <= limit else { throw ParseFailure("a prefix code is too long") }
            taken += 1 << (limit - Int(length))
        }
        guard taken <= 1 << limit else { throw ParseFailure("a prefix code has too many short codes") }
        self.init(checkedLengths: lengths, limit: limit)
    }

    /// Makes the code with the smallest total length for symbols that occur `counts` times, of at most `limit` bits.
    ///
    /// A symbol that does not occur gets no code. At most 2^`limit` symbols occur.
    init(counts: [UInt32], limit: Int) {
        self.init(checkedLengths: PrefixCode.lengths(counts, limit: limit), limit: limit)
    }

    private init(checkedLengths lengths: [UInt8], limit: Int) {
        self.lengths = lengths
        var codes = [UInt16](repeating: 0, count: lengths.count)
        var next: UInt16 = 0
        for length in 1...limit {
            for symbol in lengths.indices where Int(lengths[symbol]) == length {
                codes[symbol] = PrefixCode.reversed(next, length)
                next &+= 1
            }
            next &<<= 1
        }
        self.codes = codes
    }

    private static func reversed(_ code: UInt16, _ length: Int) -> UInt16 {
        var rest = code
        var result: UInt16 = 0
        for _ in 0..<length {
            result = result << 1 | rest & 1
            rest >>= 1
        }
        return result
    }

    // MARK: Lengths

    private struct Package {
        let weight: UInt64
        let symbols: [UInt16]
    }

    /// Returns the lengths of the best code, found by package-merge (Larmore and Hirschberg, 1990).
    ///
    /// - Complexity: O(n · `limit`) packages of up to n symbols, for n symbols that occur: about a millisecond for 300.
    private static func lengths(_ counts: [UInt32], limit: Int) -> [UInt8] {
        let leaves = counts.indices.filter { counts[$0] > 0 }
            .sorted { (counts[$0], $0) < (counts[$1], $1) }
            .map { Package(weight: UInt64(counts[$0]), symbols: [UInt16($0)]) }
        assert(leaves.count <= 1 << limit)
        var lengths = [UInt8](repeating: 0, count: counts.count)
        // A single symbol gets one bit, because a code of no bits could not be told from no code.
        if leaves.count == 1 { lengths[Int(leaves[0].symbols[0])] = 1 }
        guard leaves.count > 1 else { return lengths }
        var packages = leaves
        for _ in 1..<limit { packages = merged(leaves, pairs(packages)) }
        for package in packages.prefix(2 * leaves.count - 2) {
            for symbol in package.symbols { lengths[Int(symbol)] += 1 }
        }
        return lengths
    }

    /// Returns the packages joined two by two; an odd last one is left out.
    private static func pairs(_ packages: [Package]) -> [Package] {
        stride(from: 0, to: packages.count - 1, by: 2).map { first in
            let (a, b) = (packages[first], packages[first + 1])
            return Package(weight: a.weight + b.weight, symbols: a.symbols + b.symbols)
        }
    }

    /// Merges two lists in the order of weights.
    private static func merged(_ leaves: [Package], _ pairs: [Package]) -> [Package] {
        var result: [Package] = []
        result.reserveCapacity(leaves.count + pairs.count)
        var leaf = 0
        for pair in pairs {
            while leaf < leaves.count, leaves[leaf].weight <= pair.weight {
                result.append(leaves[leaf])
                leaf += 1
            }
            result.append(pair)
        }
        result.append(contentsOf: leaves[leaf...])
        return result
    }
}
