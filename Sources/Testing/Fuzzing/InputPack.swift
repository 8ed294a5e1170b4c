/// Inputs of a fuzzer in one file: each as its length, 4 bytes little-endian, and its bytes.
public enum InputPack {
    /// The file ends inside an input.
    public struct CutShort: Error {}

    /// Packs `inputs` in their order. An input is shorter than 4 GiB.
    public static func pack(_ inputs: [[UInt8]]) -> [UInt8] {
        var result: [UInt8] = []
        for input in inputs {
            for shift in 0..<4 { result.append(UInt8(truncatingIfNeeded: input.count >> (8 * shift))) }
            result += input
        }
        return result
    }

    /// The inputs of a packed file, in their order.
    public static func unpack(_ bytes: [UInt8]) throws -> [[UInt8]] {
        var inputs: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= 4 else { throw CutShort() }
            let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= count else { throw CutShort() }
            inputs.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return inputs
    }
}
