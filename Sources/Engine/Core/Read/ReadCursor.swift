package import ShaleBase

/// Iterates over the entries that a reader sees: the stored ones of a moment, and over them the own writes of a
/// transaction if the reader is one.
///
/// Both sources come in the order of the keys. If both have a key, the own write decides: it replaces the stored entry
/// or, as a removal or after its expiry, hides it. After an error every further `next` throws the same error.
package struct ReadCursor: ~Copyable {
    /// The state of the stored cursor.
    private enum Stored {
        /// Its entry was delivered or hidden, or it has not been stepped yet.
        case used
        /// Its entry comes next, unless an own write precedes it.
        case waiting
        case ended
    }

    /// The transaction that reads, and its own writes in the order of the scan.
    private struct Overlay {
        let transaction: Engine.Transaction
        let extent: ScanExtent
        let entries: [OwnEntry]
        var index = 0
    }

    private var stored: Engine.Cursor
    private var state = Stored.used
    private let order: ScanOrder
    private var overlay: Overlay?
    /// The current entry if it is an own write; `nil` if it is the stored cursor's.
    private var own: OwnEntry?

    /// Makes a cursor over stored entries alone.
    package init(_ stored: consuming Engine.Cursor) {
        self.stored = stored
        order = .forward
    }

    init(
        _ stored: consuming Engine.Cursor, in transaction: Engine.Transaction, _ extent: ScanExtent,
        _ entries: [OwnEntry],
        _ order: ScanOrder
    ) {
        self.stored = stored
        self.order = order
        overlay = Overlay(transaction: transaction, extent: extent, entries: entries)
    }

    /// Moves to the next entry; returns false at the end. Throws the errors of ``Engine/Cursor/next()``, and
    /// `.invalidArgument` after the end of the transaction.
    package mutating func next() throws(StorageError) -> Bool {
        guard let overlay else { return try stored.next() }
        guard try merge() else {
            try overlay.transaction.note(overlay.extent, .end)
            return false
        }
        try overlay.transaction.note(overlay.extent, .key(withCurrent { (key, _, _) in key.array() }))
        return true
    }

    private mutating func merge() throws(StorageError) -> Bool {
        own = nil
        while true {
            if state == .used { state = try stored.next() ? .waiting : .ended }
            guard let next = overlay.flatMap({ $0.index < $0.entries.count ? $0.entries[$0.index] : nil }) else {
                guard state == .waiting else { return false }
                state = .used
                return true
            }
            if state == .waiting, isStoredFirst(next) { return true }
            overlay?.index += 1
            if next.value != nil {
                own = next
                return true
            }
        }
    }

    /// Returns true, and uses the stored entry, if it precedes the own write. Uses it too if the own write hides it.
    private mutating func isStoredFirst(_ next: OwnEntry) -> Bool {
        let key = stored.key.array()
        if key == next.key {
            state = .used
            return false
        }
        guard key.lexicographicallyPrecedes(next.key) == (order == .forward) else { return false }
        state = .used
        return true
    }

    /// Passes the key, the value and the properties of the current entry to `body`.
    package func withCurrent<R>(_ body: (RawSpan, RawSpan, EntryInfo) -> R) -> R {
        guard let own, let value = own.value else { return body(stored.key, stored.value, stored.info) }
        return unsafe body(
            own.key.span.bytes, value.span.bytes, EntryInfo(own.options, valueByteCount: value.count))
    }
}
