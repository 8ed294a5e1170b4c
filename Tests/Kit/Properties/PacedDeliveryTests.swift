import ShalePlatform
import TestSupport
import Testing

@testable import ShaleKit

/// The delivery of values to receivers that demand them, which the adapter for Combine uses.
@Suite struct PacedDeliveryTests {
    /// Receives values and demands `more` after each.
    private final class Receiver: Sendable {
        private let state = Locked((values: [Int](), ends: [StorageError.Code?]()))
        let more: Int?

        init(more: Int? = 0) { self.more = more }

        func delivery(_ settings: Store.Namespace) -> PacedDelivery<Int> {
            PacedDelivery { () throws(StorageError) in
                try settings.values(for: .count)
            } receive: { [self] value in
                state.withLock { $0.values.append(value) }
                return more
            } complete: { [self] error in
                state.withLock { $0.ends.append(error?.code) }
            }
        }

        var values: [Int] { state.withLock { $0.values } }
        var ends: [StorageError.Code?] { state.withLock { $0.ends } }
    }

    @Test func nothingIsDeliveredWithoutDemand() async throws {
        let fixture = try PropertyFixture()
        let receiver = Receiver()
        let delivery = receiver.delivery(fixture.settings)
        delivery.request(0)
        try fixture.settings.set(1, for: .count)
        #expect(receiver.values.isEmpty)
        delivery.request(1)
        #expect(await until { receiver.values == [1] })
        try fixture.settings.set(2, for: .count)
        try fixture.settings.set(3, for: .count)
        delivery.request(1)
        #expect(await until { receiver.values == [1, 3] }, "a slow receiver gets the newest value")
        delivery.cancel()
    }

    @Test func aReceiverMayDemandMoreWithEachValue() async throws {
        let fixture = try PropertyFixture()
        let receiver = Receiver(more: 1)
        let delivery = receiver.delivery(fixture.settings)
        delivery.request(1)
        for number in 1...5 {
            #expect(await until { receiver.values.last == number - 1 })
            try fixture.settings.set(number, for: .count)
        }
        #expect(await until { receiver.values.last == 5 })
        delivery.cancel()
    }

    @Test func aCloseCompletesAndAnErrorFails() async throws {
        let fixture = try PropertyFixture()
        let (closed, failed) = (Receiver(more: nil), Receiver(more: nil))
        let other = fixture.store.common["other"]
        try other.set("text", forKey: "count")
        let (first, second) = (closed.delivery(fixture.settings), failed.delivery(other))
        first.request(1)
        second.request(nil)
        #expect(await until { failed.ends == [.typeMismatch] && closed.values == [0] })
        try await fixture.store.close()
        #expect(await until { closed.ends == [nil] })
        #expect(failed.values.isEmpty)
    }

    @Test func nothingFollowsACancellation() async throws {
        let fixture = try PropertyFixture()
        let (receiver, waiting) = (Receiver(more: nil), Receiver())
        let delivery = receiver.delivery(fixture.settings)
        let stalled = waiting.delivery(fixture.settings)
        delivery.request(nil)
        stalled.request(1)
        #expect(await until { receiver.values == [0] && waiting.values == [0] })
        delivery.cancel()
        stalled.cancel()
        try fixture.settings.set(1, for: .count)
        stalled.request(1)
        try await fixture.store.close()
        #expect(receiver.values == [0] && waiting.values == [0])
        #expect(receiver.ends.isEmpty && waiting.ends.isEmpty)
    }

    @Test func demandsOfAnySizeAddUp() async throws {
        let fixture = try PropertyFixture()
        let receiver = Receiver(more: .max)
        let delivery = receiver.delivery(fixture.settings)
        delivery.request(.max)
        delivery.request(.max)
        #expect(await until { receiver.values == [0] })
        try fixture.settings.set(1, for: .count)
        #expect(await until { receiver.values == [0, 1] })
        delivery.cancel()
    }
}
