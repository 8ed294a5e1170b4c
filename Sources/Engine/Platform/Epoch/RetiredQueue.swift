/// An unlinked object or block that waits until no pin can see it.
@safe
struct Retired {
    /// A retained object if `free` is nil, otherwise a block for `free`.
    let pointer: UnsafeMutableRawPointer
    let free: EpochDomain.Free?
    /// The epoch that ended with the retirement. Pins of this epoch and of earlier ones may still see the object.
    let epoch: UInt
    /// The memory that the object keeps alive.
    let bytes: Int

    func release() {
        unsafe SchedulePoint.willRelease(pointer)
        if let free = unsafe free {
            unsafe free(pointer)
        } else {
            unsafe Unmanaged<AnyObject>.fromOpaque(pointer).release()
        }
    }
}

/// Retired objects in the order of their epochs. Guarded by the domain's lock.
struct RetiredQueue {
    private var items: [Retired] = []
    private var first = 0
    private(set) var bytes = 0

    var count: Int { items.count - first }

    /// The epoch of the oldest item; `UInt.max` if the queue is empty.
    var oldestEpoch: UInt { first < items.count ? items[first].epoch : UInt.max }

    mutating func append(_ item: Retired) {
        assert(items.last.map { $0.epoch < item.epoch } ?? true)
        items.append(item)
        bytes += item.bytes
    }

    /// Removes and returns all items that were retired before `epoch`.
    mutating func take(before epoch: UInt) -> [Retired] {
        var end = first
        while end < items.count, items[end].epoch < epoch { end += 1 }
        guard end > first else { return [] }
        bytes -= items[first..<end].reduce(0) { $0 + $1.bytes }
        if end == items.count, first == 0 {
            defer { items = [] }
            return items
        }
        let taken = Array(items[first..<end])
        first = end
        if first * 2 >= items.count {
            items.removeFirst(first)
            first = 0
        }
        return taken
    }
}
