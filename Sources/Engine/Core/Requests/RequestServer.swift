import ShaleBase
import ShaleManifest
import ShalePlatform

/// The owner's side of requests. ShaleEngine.docc, "Requests to the owner". Used by one thread at a time.
final class RequestServer: @unchecked Sendable {
    private unowned let core: EngineCore
    /// True once the engine stops.
    private let isStopping: () -> Bool
    /// The requests that were answered for good, and whose files are still there.
    private var answered: Set<String> = []
    /// The times at which requests were found that don't parse: their writers may not have finished.
    private var unreadable: [String: UInt64] = [:]
    /// The answers that are still rewritten, with their locks. A requester sees by the lock that the owner lives.
    private var answers: [String: any FileLock] = [:]

    /// The most requests that are looked at. More wait until some of these are gone.
    private static let requestsMax = 16
    /// The time for which a request may be incomplete.
    private static let writingNanoseconds: UInt64 = 1_000_000_000
    /// The interval at which a running request's answer is rewritten and its requester is looked for.
    private static let answerNanoseconds: UInt64 = 100_000_000

    init(_ core: EngineCore, isStopping: @escaping () -> Bool) {
        self.core = core
        self.isStopping = isStopping
    }

    private var root: any Directory { core.directories.root }
    private var now: UInt64 { core.clock.monotonicNanoseconds }

    /// True if a request may wait. Without any it is one system call.
    func isAsked() -> Bool {
        do throws(IOFailure) { return try root.exists(MailboxLayout.directory) } catch { return false }
    }

    /// Does all requests that wait. Failures are answers to them; a mailbox that can't be read is left alone.
    func serve() {
        do throws(StorageError) {
            while !isStopping(), let mailbox = try Mailbox.open(in: root, create: false) {
                guard let number = try sweep(mailbox).first else { break }
                serve(number, in: mailbox)
            }
            Mailbox.removeIfEmpty(in: root)
        } catch {
            core.counters.backgroundFailures.add(1)
        }
        if isStopping() { answers = [:] }
    }

    // MARK: Looking

    /// Returns the requests that wait, and removes what nobody waits for: requests of dead requesters, and answers
    /// without a request.
    private func sweep(_ mailbox: Mailbox) throws(StorageError) -> [String] {
        let names: [String]
        do { names = try mailbox.directory.list() } catch { throw error.storageError }
        var numbers: [String] = []
        for number in names.compactMap({ MailboxLayout.requestNumber($0) }).prefix(RequestServer.requestsMax) {
            if isAbandoned(number, mailbox) {
                discard(number, mailbox)
            } else {
                numbers.append(number)
            }
        }
        let present = Set(names.compactMap { MailboxLayout.requestNumber($0) })
        for number in names.compactMap({ MailboxLayout.answerNumber($0) }) where !present.contains(number) {
            discard(number, mailbox)
        }
        answered.formIntersection(numbers)
        unreadable = unreadable.filter { numbers.contains($0.key) }
        numbers.removeAll { answered.contains($0) }
        for number in numbers where answers[number] == nil { answer(number, .waiting, mailbox) }
        return numbers.filter { number in unreadable[number].map { now - $0 < RequestServer.writingNanoseconds } != true
        }
    }

    /// True if the requester has died: nobody holds the lock of the request.
    private func isAbandoned(_ number: String, _ mailbox: Mailbox) -> Bool {
        if PlantedBug.isActive(.keepDeadRequests) { return false }
        do throws(IOFailure) {
            let lock = try mailbox.directory.lock(MailboxLayout.request(number))
            defer { lock.release() }
            try mailbox.directory.remove(MailboxLayout.request(number))
            return true
        } catch {
            // Held, or not a file that can be locked: then its answer says so.
            return error.isMissing || error.isLostLock
        }
    }

    private func discard(_ number: String, _ mailbox: Mailbox) {
        answers.removeValue(forKey: number)?.release()
        if !PlantedBug.isActive(.leaveAnswers) { mailbox.remove(MailboxLayout.answer(number)) }
    }

    // MARK: Answering

    private func serve(_ number: String, in mailbox: Mailbox) {
        let name = MailboxLayout.request(number)
        let request: OwnerRequest
        do throws(StorageError) {
            request = try read(name, in: mailbox)
        } catch {
            // The requester may be writing it.
            guard let since = unreadable[number] else {
                unreadable[number] = now
                return
            }
            guard now - since >= RequestServer.writingNanoseconds else { return }
            return finish(number, .failed(code: error.code, message: error.message), mailbox)
        }
        do throws(StorageError) {
            finish(number, .done(try perform(request, number, mailbox)), mailbox)
        } catch {
            if error.code == .cancelled { return discard(number, mailbox) }
            finish(number, .failed(code: error.code, message: error.message), mailbox)
        }
    }

    private func read(_ name: String, in mailbox: Mailbox) throws(StorageError) -> OwnerRequest {
        let bytes: [UInt8]?
        do { bytes = try mailbox.directory.content(of: name, limit: OwnerRequest.bytesMax) } catch {
            throw error.storageError
        }
        guard let bytes else { throw .invalid("the request is longer than \(OwnerRequest.bytesMax) bytes") }
        return try OwnerRequest(bytes, file: name)
    }

    private func finish(_ number: String, _ state: OwnerAnswer.State, _ mailbox: Mailbox) {
        answer(number, state, mailbox)
        answers.removeValue(forKey: number)?.release()
        answered.insert(number)
    }

    /// Writes an answer. Best effort: a requester without an answer gives up by itself.
    private func answer(_ number: String, _ state: OwnerAnswer.State, _ mailbox: Mailbox) {
        do throws(IOFailure) {
            let lock: any FileLock
            if let held = answers[number] {
                lock = held
            } else {
                lock = try mailbox.directory.lock(MailboxLayout.answer(number))
            }
            answers[number] = lock
            let bytes = OwnedBytes(OwnerAnswer(state).encoded())
            defer { withExtendedLifetime(bytes) {} }
            try lock.publish(bytes.bytes)
        } catch {
            core.counters.backgroundFailures.add(1)
        }
    }

    // MARK: Working

    private func perform(
        _ request: OwnerRequest, _ number: String, _ mailbox: Mailbox
    ) throws(StorageError) -> OwnerWorkReport {
        var last: UInt64 = 0
        return try core.perform(request) { [self] (step) throws(StorageError) in
            if isStopping() { throw StorageError(.closed, "the store was closed") }
            guard now - last >= RequestServer.answerNanoseconds else { return }
            last = now
            _ = try sweep(mailbox)
            guard answers[number] != nil else { throw StorageError(.cancelled, "nobody waits for the work") }
            answer(number, .running(step), mailbox)
        }
    }
}

extension EngineCore {
    /// Does the work of a request on this thread.
    func perform(
        _ request: OwnerRequest, _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> OwnerWorkReport {
        // Namespaces that were dropped since have nothing left to purge.
        let purged = request.purged.filter { erasures.isLive($0) }
        var report = OwnerWorkReport()
        report.storedBytesBefore = viewCell.retained().version.storedBytes
        let before = try purgeable(purged)
        let diskBefore = try directories.allocatedBytes()
        try progress(CompactionProgress(readBytes: 0, totalBytes: report.storedBytesBefore))
        if !purged.isEmpty { try purge(purged) }
        switch request.work {
        case .compact: report.compaction = try compact(request.scope, request.options, progress)
        case .reclaim: report.compaction = try reclaim(progress)
        }
        let after = try purgeable(purged)
        report.purgedEntries = before.entries - min(after.entries, before.entries)
        report.purgedRawBytes = before.rawBytes - min(after.rawBytes, before.rawBytes)
        report.storedBytesAfter = viewCell.retained().version.storedBytes
        report.returnedBytes = Int64(clamping: diskBefore) - Int64(clamping: try directories.allocatedBytes())
        return report
    }

    private func purgeable(
        _ namespaces: [NamespaceID]
    ) throws(StorageError) -> (entries: UInt64, rawBytes: UInt64) {
        var (entries, rawBytes): (UInt64, UInt64) = (0, 0)
        for namespace in namespaces where erasures.isLive(namespace) {
            let statistics = try statistics(of: namespace)
            entries += statistics.purgeable
            rawBytes += statistics.purgeableRawBytes
        }
        return (entries, rawBytes)
    }
}
