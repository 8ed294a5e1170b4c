import Synchronization

/// Numbers from 0 on that threads deal among themselves, each to one of them.
final class DealtNumbers: Sendable {
    private let count: Int
    private let dealt = Atomic<Int>(0)

    init(below count: Int) { self.count = count }

    /// Nil when there are no more.
    func next() -> Int? {
        let number = dealt.wrappingAdd(1, ordering: .relaxed).oldValue
        return number < count ? number : nil
    }
}
