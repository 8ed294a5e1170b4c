import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

/// Opening without the lock, beside the owner of the store.
extension StoreOpener {
    /// Opens a store without the lock.
    ///
    /// The opener holds everything that is not deleted yet, then reads, and keeps a hold on the state that it found.
    ///
    /// 1. If it can't hold anything, a writer may delete files while it reads one after the other. That looks like
    ///    damage, and so does a manifest that is replaced between two calls, or a chunk that is half written.
    /// 2. Real damage is still there at the next attempt. A file that a writer has removed is not, because each attempt
    ///    starts from a later manifest that does not name it. So attempts are repeated while they fail in different
    ///    places.
    func openBesideWriter(_ root: any Directory) throws(StorageError) -> OpenedStore {
        var attempts = ReadAttempts()
        while true {
            do throws(StorageError) {
                return try openHeld(root)
            } catch {
                try attempts.fail(error)
            }
        }
    }

    private func openHeld(_ root: any Directory) throws(StorageError) -> OpenedStore {
        let begun = try StateHolds.begin(in: root)
        defer { begun?.search.end() }
        let directories: StoreDirectories
        do { directories = try StoreDirectories(root: root, create: false) } catch { throw error.neededFileError }
        let follower = try StateFollower(self, OpenParts(options, environment, directories), begun?.holds)
        return try follower.open()
    }
}

/// The repetition of reads that fail because a writer works beside them.
struct ReadAttempts {
    private static let least = 8
    private static let most = 500

    private var last: StorageError?
    private var count = 0

    /// Records a failure. Throws it if it is real: a second failure in the same place after some attempts, one that no
    /// writer can cause, or one too many.
    mutating func fail(_ error: StorageError) throws(StorageError) {
        let passing: Set<StorageError.Code> = [.corruption, .missingLog, .missing, .outdated]
        guard passing.contains(error.code) else { throw error }
        count += 1
        let isSame = error.code == last?.code && error.file == last?.file && error.offset == last?.offset
        if isSame && count >= ReadAttempts.least || count >= ReadAttempts.most { throw error }
        last = error
    }
}
