import NIOCore
import Synchronization

/// Counts the calls that are being answered.
final class CallSlots: Sendable {
    private let count = Mutex(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Takes a slot for a call on a connection, which is closed after `seconds`; `nil` if all slots are taken.
    func take(_ channel: any Channel, seconds: Int) -> CallSlot? {
        let isFree = count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        return isFree ? CallSlot(self, closing: channel, seconds: seconds) : nil
    }

    fileprivate func give() { count.withLock { $0 -= 1 } }
}

/// The slot of a call. It is free again once nothing refers to it: the response's body does until it is written.
final class CallSlot: Sendable {
    private let slots: CallSlots
    private let deadline: Scheduled<Void>

    fileprivate init(_ slots: CallSlots, closing channel: any Channel, seconds: Int) {
        self.slots = slots
        // A client that sends or receives too slowly holds neither the slot nor the connection for longer.
        deadline = channel.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) { channel.close(promise: nil) }
    }

    deinit {
        deadline.cancel()
        slots.give()
    }
}
