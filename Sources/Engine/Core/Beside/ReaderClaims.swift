import ShaleBase
import ShalePlatform
import Synchronization

/// Decides which obsolete files stay for readers in other processes. ShaleEngine.docc, "Readers in other processes".
///
/// A reader holds a position on the file LOCK: the next file number of the state that it reads, the number of the log
/// whose changes it follows, or 0 while it looks for either (``HoldPosition``). A file stays while a state that may
/// name it, or its log, is held, but no longer than ``Engine/Options/readerTimeMax``,
/// within ``Engine/Options/readerBytesMax``, and for 10 s on a full disk. What a reader does beyond that
/// changes nothing here, so neither a stuck reader nor a hostile one can fill the disk.
final class ReaderClaims: @unchecked Sendable {
    struct Bounds {
        let nanoseconds: UInt64
        let bytes: UInt64
    }

    struct Decision {
        var removed: [ObsoleteFile] = []
        var kept: [ObsoleteFile] = []
    }

    struct Figures {
        var keptBytes: UInt64 = 0
        var oldestSince: UInt64?
        var revokedFiles: UInt64 = 0
    }

    /// The longest time for which a file is kept while the disk is full. Most readers end within it.
    static let fullDiskNanoseconds: UInt64 = 10_000_000_000

    private let owner: (any FileLock)?
    private let time: any TimeSource
    /// The present bounds. Called only if a reader holds something.
    private let bounds = Locked<(@Sendable () -> Bounds)?>(nil)
    private let state = Locked(Figures())

    init(owner: (any FileLock)?, time: any TimeSource) {
        self.owner = owner
        self.time = time
    }

    func setBounds(_ bounds: @escaping @Sendable () -> Bounds) { self.bounds.withLock { $0 = bounds } }

    /// The monotonic time in nanoseconds.
    var now: UInt64 { time.monotonicNanoseconds }

    var figures: Figures { state.withLock { $0 } }

    /// The number of states, and of logs as beginnings of changes, that readers hold, each counted once.
    func heldStates() throws(IOFailure) -> Int { try owner?.heldPositions().count ?? 0 }

    /// Divides files that nothing in this process uses. If the held positions can't be read, all files stay for the
    /// time being.
    func decide(_ files: [ObsoleteFile], at now: UInt64, _ failure: inout IOFailure?) -> Decision {
        guard !files.isEmpty, let owner else { return note(Decision(removed: files)) }
        let positions: [UInt64]
        do throws(IOFailure) {
            positions = try owner.heldPositions()
        } catch {
            failure = error
            return Decision(kept: files)
        }
        if positions.isEmpty || PlantedBug.isActive(.ignoreReaders) { return note(Decision(removed: files)) }
        let bounds = bounds.withLock { $0 }?() ?? Bounds(nanoseconds: 0, bytes: 0)
        return note(divide(files, positions, bounds, at: now))
    }

    private func divide(_ files: [ObsoleteFile], _ positions: [UInt64], _ bounds: Bounds, at now: UInt64) -> Decision {
        var decision = Decision()
        for var file in files {
            guard ReaderClaims.isHeld(file.states, log: file.log, positions) else {
                decision.removed.append(file)
                continue
            }
            let since = file.keptSince ?? now
            if file.keptSince == nil { file.keptBytes = ReaderClaims.bytes(of: file) }
            file.keptSince = since
            let isOver = now >= since && now - since >= bounds.nanoseconds
            if isOver, !PlantedBug.isActive(.keepForReadersForever) {
                decision.removed.append(revoked(file))
            } else {
                decision.kept.append(file)
            }
        }
        revokeOldest(in: &decision, downTo: bounds.bytes)
        return decision
    }

    /// Gives up the files that are kept longest, until the others are within `bytes`.
    private func revokeOldest(in decision: inout Decision, downTo bytes: UInt64) {
        var total = decision.kept.reduce(0) { $0 + $1.keptBytes }
        guard total > bytes else { return }
        decision.kept.sort { ($0.keptSince ?? 0, $0.name) > ($1.keptSince ?? 0, $1.name) }
        while total > bytes, let oldest = decision.kept.popLast() {
            total -= oldest.keptBytes
            decision.removed.append(revoked(oldest))
        }
    }

    private func revoked(_ file: ObsoleteFile) -> ObsoleteFile {
        var file = file
        file.isRevoked = true
        return file
    }

    /// True if one of the held positions may need a file that `states` may name, or log `log`; `nil` if no whole state
    /// names it.
    static func isHeld(_ states: ClosedRange<UInt64>?, log: UInt64? = nil, _ positions: [UInt64]) -> Bool {
        positions.contains { position in
            position == HoldPosition.everything || states?.contains(position) == true
                || log.map { HoldPosition.holds(position, log: $0) } == true
        }
    }

    /// Returns the disk space of a file; 0 if it can't be read, because then its removal fails too and is reported.
    private static func bytes(of file: ObsoleteFile) -> UInt64 {
        do throws(IOFailure) { return try file.directory.allocatedBytes(of: file.name) } catch { return 0 }
    }

    private func note(_ decision: Decision) -> Decision {
        state.withLock { figures in
            figures.keptBytes = decision.kept.reduce(0) { $0 + $1.keptBytes }
            figures.oldestSince = decision.kept.compactMap(\.keptSince).min()
            figures.revokedFiles += UInt64(decision.removed.count(where: \.isRevoked))
        }
        return decision
    }
}
