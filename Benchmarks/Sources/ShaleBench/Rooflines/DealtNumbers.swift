import Synchronization

/// The numbers from 0 on, each given to one of several threads.
final class DealtNumbers: Sendable {
    private let count: Int
    private let dealt = Atomic<Int>(0)

    init(below count: Int) { self.count = count }

    /// Returns the next number; `nil` if there are no more.
    func next() -> Int? {
        let number = dealt.wrappingAdd(1, ordering: .relaxed).oldValue
        return number < count ? number : nil
    }
}
