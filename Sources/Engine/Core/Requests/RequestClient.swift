import ShaleBase
import ShaleManifest
import ShalePlatform

/// The requester's side of a request. ShaleEngine.docc, "Requests to the owner". Used by one thread.
struct RequestClient {
    private let root: any Directory
    private let time: any TimeSource
    /// Waits between two looks at the answer.
    private let wait: () -> Void

    /// The longest time without any answer. The owner looks twice a second.
    static let unansweredNanoseconds: UInt64 = 10_000_000_000
    /// The interval at which a requester checks that the owner lives.
    private static let checkNanoseconds: UInt64 = 1_000_000_000

    init(
        at path: String, _ fileSystem: any FileSystem, time: any TimeSource = SystemTime(),
        wait: @escaping () -> Void = RequestClient.pause
    ) throws(StorageError) {
        let isStore: Bool
        do throws(IOFailure) {
            root = try fileSystem.openDirectory(path, create: false)
            isStore = try root.exists(StoreLayout.current)
        } catch {
            throw error.storageError
        }
        guard isStore else { throw StorageError(.missing, "there is no store in the directory", file: path) }
        self.time = time
        self.wait = wait
    }

    static func pause() { _ = Parker(spinCount: 0).park(nanoseconds: 50_000_000) }

    private var now: UInt64 { time.monotonicNanoseconds }

    /// Places the request, and waits for its last answer.
    func run(
        _ request: OwnerRequest, _ progress: (CompactionProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> OwnerWorkReport {
        let placed = try place(request)
        defer { placed.withdraw(from: root) }
        let start = now
        var lastCheck = start
        while true {
            switch try placed.answer() {
            case .done(let report): return report
            case .failed(let code, let message): throw StorageError(code, message)
            case .running(let step): try progress(step)
            case .waiting: try progress(CompactionProgress(readBytes: 0, totalBytes: 0))
            case nil:
                guard now - start < RequestClient.unansweredNanoseconds else { throw unanswered() }
                try progress(CompactionProgress(readBytes: 0, totalBytes: 0))
            }
            if now - lastCheck >= RequestClient.checkNanoseconds {
                lastCheck = now
                // The owner may have finished between the two looks.
                if placed.isLeft, try placed.answer()?.isLast != true { throw ended() }
            }
            wait()
        }
    }

    /// Writes the request. The owner may remove a directory that looks empty, or a request that is not locked yet, so
    /// the attempt is repeated.
    private func place(_ request: OwnerRequest) throws(StorageError) -> PlacedRequest {
        let start = now
        while true {
            guard let mailbox = try Mailbox.open(in: root, create: true) else { throw unanswered() }
            do throws(IOFailure) {
                return try PlacedRequest(request, in: mailbox)
            } catch {
                guard error.isMissing || error.isLostLock, now - start < RequestClient.unansweredNanoseconds else {
                    throw error.storageError
                }
            }
            wait()
        }
    }

    private func unanswered() -> StorageError {
        StorageError(.unavailable, "no process that accepts requests has the store open")
    }

    private func ended() -> StorageError {
        StorageError(.unavailable, "the owner of the store has ended before the work was done")
    }
}

/// A request that is in the mailbox. Its lock tells the owner that the requester lives.
private struct PlacedRequest {
    private let mailbox: Mailbox
    private let number: String
    private let lock: any FileLock

    init(_ request: OwnerRequest, in mailbox: Mailbox) throws(IOFailure) {
        self.mailbox = mailbox
        number = MailboxLayout.makeNumber()
        lock = try mailbox.directory.lock(MailboxLayout.request(number))
        let bytes = OwnedBytes(request.encoded())
        defer { withExtendedLifetime(bytes) {} }
        do throws(IOFailure) {
            try lock.publish(bytes.bytes)
            // The owner may have taken the file for a dead requester's before it was locked.
            try lock.verify()
        } catch {
            mailbox.remove(MailboxLayout.request(number))
            lock.release()
            throw error
        }
    }

    /// Returns the present answer; `nil` if there is none, or if the owner is writing it.
    func answer() throws(StorageError) -> OwnerAnswer.State? {
        let name = MailboxLayout.answer(number)
        do throws(IOFailure) {
            guard let bytes = try mailbox.directory.content(of: name, limit: OwnerAnswer.bytesMax) else { return nil }
            return OwnerAnswer.readable(bytes, file: name)?.state
        } catch {
            guard error.isMissing else { throw error.storageError }
            return nil
        }
    }

    /// True if there is an answer that no owner goes on with.
    var isLeft: Bool {
        if PlantedBug.isActive(.ignoreOwnersDeath) { return false }
        do throws(IOFailure) {
            guard try mailbox.directory.exists(MailboxLayout.answer(number)) else { return false }
            try mailbox.directory.lock(MailboxLayout.answer(number)).release()
            return true
        } catch {
            return false
        }
    }

    /// Ends the request. The owner cancels work that goes on. The request is removed first: the owner removes an answer
    /// without a request itself.
    func withdraw(from root: any Directory) {
        mailbox.remove(MailboxLayout.request(number), MailboxLayout.answer(number))
        lock.release()
        Mailbox.removeIfEmpty(in: root)
    }
}
