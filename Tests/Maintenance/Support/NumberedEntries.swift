import ShaleBase
import ShaleEngine

extension Engine {
    /// Puts an entry for each number into the namespace `n`: its key has the number, and its value `text` before it.
    func putNumbered(_ numbers: Range<Int>, _ text: String) throws {
        let namespace = try createNamespace(named: Array("n".utf8))
        for number in numbers {
            try unsafe put(
                Array("\(text) \(number)".utf8).span.bytes,
                forKey: Array("key \(10_000 + number)".utf8).span.bytes, in: namespace)
        }
    }
}
