import ShaleBase
import ShaleEngine

extension Engine {
    /// Puts an entry for each number into the namespace `n`: its key has the number, and its value `text` before it and
    /// `padding` bytes after it.
    func putNumbered(_ numbers: Range<Int>, _ text: String, padding: Int = 0) throws {
        let namespace = try createNamespace(named: Array("n".utf8))
        for number in numbers {
            let value = Array("\(text) \(number)".utf8) + [UInt8](repeating: 46, count: padding)
            try unsafe put(
                value.span.bytes,
                forKey: Array("key \(10_000 + number)".utf8).span.bytes, in: namespace)
        }
    }
}
