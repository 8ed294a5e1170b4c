import ShaleBase

/// Feeds a cursor from a memtable, which it keeps alive.
final class MemtableSource: EntrySource {
    private let memtable: Memtable
    /// One struct, so that a call checks for exclusive access once and not at every step.
    @exclusivity(unchecked)
    private var walk: MemtableWalk

    init(_ memtable: Memtable) {
        self.memtable = memtable
        unsafe walk = MemtableWalk(memtable.tree)
    }

    func position(_ key: Bytes?, for cursor: EntryCursor) {
        unsafe walk.position(key, isBackward: cursor.direction == .backward)
    }

    func fillRun(of cursor: EntryCursor) {
        let run = unsafe MemtableWalk.Run(
            start: cursor.run, length: cursor.nextRunLength(), headOffset: cursor.headOffset)
        cursor.runCount = unsafe walk.fill(run)
    }

    func rest() {}
}
