package import ShaleBase

/// A pool that keeps at most `limit` files open.
///
/// It closes files that were not used since the clock hand's last round. A file in use stays open until its reader is
/// done, even beyond the limit. Thread-safe.
package final class OpenFiles: @unchecked Sendable {
    /// A file's entry in the pool; guarded by the lock of ``OpenFiles``.
    package final class Entry: @unchecked Sendable {
        fileprivate var handle: (any ReadableFile)?
        fileprivate var isUsed = false
        fileprivate var ringIndex = -1

        package init() {}
    }

    private let lock = Lock()
    private var ring: [Entry] = []
    private var hand = 0
    private var shortages: UInt64 = 0
    private let limit: Int
    /// True if another process may delete the files: the owner of the store.
    package let isBesideOwner: Bool
    /// True if small reads copy from mappings where the system has some.
    package let mapsFiles: Bool
    /// The estimate of whether small reads find their pages in memory.
    package let residency: PageResidency

    package init(
        limit: Int, isBesideOwner: Bool = false, mapsFiles: Bool = false, time: any TimeSource = SystemTime()
    ) {
        self.limit = max(1, limit)
        self.isBesideOwner = isBesideOwner
        self.mapsFiles = mapsFiles
        residency = PageResidency(time: time)
    }

    package var openCount: Int { lock.withLock { ring.count } }

    /// Returns the entry's handle, opened with `open` if necessary.
    package func handle(
        of entry: Entry, open: () throws(IOFailure) -> any ReadableFile
    ) throws(IOFailure) -> any ReadableFile {
        let present: (any ReadableFile)? = lock.withLock {
            entry.isUsed = true
            return entry.handle
        }
        if let present { return present }
        let opened = try open()
        var closed: [any ReadableFile] = []
        let handle: any ReadableFile = lock.withLock {
            if let other = entry.handle { return other }
            while ring.count >= limit { closed.append(contentsOf: closeOne()) }
            entry.handle = opened
            entry.ringIndex = ring.count
            ring.append(entry)
            return opened
        }
        // Handles in `closed` close here, outside the lock, unless a reader still uses them.
        return handle
    }

    /// Closes half of the files, the least used first, because file descriptors have run out.
    ///
    /// Returns false if none was open. Files in use close when their readers are done.
    package func closeHalf() -> Bool {
        let closed: [any ReadableFile] = lock.withLock {
            var closed: [any ReadableFile] = []
            for _ in 0..<((ring.count + 1) / 2) { closed.append(contentsOf: closeOne()) }
            if !closed.isEmpty { shortages += 1 }
            return closed
        }
        // The files close here, outside the lock.
        return !closed.isEmpty
    }

    /// The number of times that files were closed because file descriptors had run out.
    package var shortageCount: UInt64 { lock.withLock { shortages } }

    package func close(_ entry: Entry) {
        let handle: (any ReadableFile)? = lock.withLock { remove(entry) }
        withExtendedLifetime(handle) {}
    }

    private func closeOne() -> [any ReadableFile] {
        while true {
            if hand >= ring.count { hand = 0 }
            let entry = ring[hand]
            if entry.isUsed {
                entry.isUsed = false
                hand += 1
            } else {
                return remove(entry).map { [$0] } ?? []
            }
        }
    }

    private func remove(_ entry: Entry) -> (any ReadableFile)? {
        guard entry.ringIndex >= 0 else { return nil }
        let last = ring.removeLast()
        if last !== entry {
            ring[entry.ringIndex] = last
            last.ringIndex = entry.ringIndex
        }
        entry.ringIndex = -1
        defer { entry.handle = nil }
        return entry.handle
    }
}
