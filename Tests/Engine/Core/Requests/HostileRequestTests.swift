import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// Files in the directory of requests that no honest requester makes.
@Suite struct HostileRequestTests {
    private let store: TestStore
    private let server: RequestServer

    init() throws {
        store = try TestStore()
        server = RequestServer(store.engine.core) { false }
    }

    /// The owner removes the directory when it is empty.
    private func directory() throws -> any Directory {
        try store.files.openDirectory("/store", create: false).openDirectory(MailboxLayout.directory, create: true)
    }

    private func place(_ bytes: [UInt8], _ number: String = "0123456789abcdef") throws -> any FileLock {
        let lock = try directory().lock(MailboxLayout.request(number))
        let memory = OwnedBytes(bytes)
        defer { withExtendedLifetime(memory) {} }
        try lock.publish(memory.bytes)
        return lock
    }

    private func answer(_ number: String = "0123456789abcdef") throws -> OwnerAnswer.State? {
        let name = MailboxLayout.answer(number)
        guard try directory().exists(name) else { return nil }
        let bytes = try #require(try directory().content(of: name, limit: OwnerAnswer.bytesMax))
        return try OwnerAnswer(bytes, file: name).state
    }

    /// The owner's looks over 3 s.
    private func look() {
        for _ in 0..<6 {
            server.serve()
            store.time.advance(milliseconds: 500)
        }
    }

    private func refusal(_ number: String = "0123456789abcdef") throws -> StorageError.Code? {
        guard case .failed(let code, _) = try answer(number) else { return nil }
        return code
    }

    @Test func bytesThatAreNoRequestAreRefused() throws {
        let sound = OwnerRequest(work: .compact).encoded()
        let random = SeededRandom(seed: Ring.seed)
        var inputs: [[UInt8]] = [[], [1, 2, 3], Array(sound.dropLast()), sound + [0]]
        for _ in 0..<100 {
            var changed = sound
            changed[random.below(sound.count)] ^= UInt8(1 << random.below(8))
            inputs.append(changed)
        }
        let compactions = store.engine.statistics.compactions
        for input in inputs {
            let lock = try place(input)
            look()
            let refusal = try refusal()
            #expect(refusal == .corruption || refusal == .newerFormat, "\(Ring.reproduction)")
            try directory().remove(MailboxLayout.request("0123456789abcdef"))
            lock.release()
            look()
            #expect(store.files.paths().allSatisfy { !$0.contains("/requests") })
        }
        #expect(store.engine.statistics.compactions == compactions)
        try store.engine.close()
    }

    @Test func aRequestIsRefusedForItsSizeBeforeItIsRead() throws {
        let lock = try place([UInt8](repeating: 7, count: OwnerRequest.bytesMax + 1))
        look()
        #expect(try refusal() == .invalidArgument)
        lock.release()
        try store.engine.close()
    }

    @Test func theRequestOfADeadRequesterIsDropped() throws {
        try place(OwnerRequest(work: .compact).encoded()).release()
        look()
        #expect(store.files.paths().allSatisfy { !$0.contains("/requests/") })
        try store.engine.close()
    }

    /// However many requests there are, the owner writes a bounded number of answers of bounded size.
    @Test func answersAreBounded() throws {
        let locks = try (0..<200).map { number in
            try place([1, 2, 3], String(repeating: "0", count: 13) + String(number + 256, radix: 16))
        }
        look()
        let answers = store.files.paths().filter { $0.hasSuffix(".answer") }
        #expect(answers.count == 16)
        #expect(answers.allSatisfy { (store.files.read($0)?.count ?? 0) <= OwnerAnswer.bytesMax })
        for lock in locks { lock.release() }
        for _ in 0..<20 { look() }
        #expect(store.files.paths().allSatisfy { !$0.contains("/requests/") })
        try store.engine.close()
    }

    @Test func aSecondNameOfAFileIsNotWrittenTo() throws {
        let root = try store.files.openDirectory("/store", create: false)
        store.files.write("/store/mine", [1, 2, 3])
        try root.link("mine", to: MailboxLayout.answer("0123456789abcdef"), in: directory())
        let lock = try place(OwnerRequest(work: .compact).encoded())
        look()
        #expect(store.files.read("/store/mine") == [1, 2, 3])
        lock.release()
        try store.engine.close()
    }

    /// The author of a hostile request computes its checksum too.
    @Test func theContentUnderAValidChecksumIsChecked() throws {
        let random = SeededRandom(seed: Ring.seed)
        var request = OwnerRequest(work: .compact)
        request.purged = [NamespaceID(rawValue: 1), NamespaceID(rawValue: 9)]
        request.options.extraDiskBytesMax = 5
        request.scope = .keys(KeyRange(lower: .included([1, 2]), upper: .excluded([3])), in: NamespaceID(rawValue: 3))
        let sound = try OwnerRequest.file.unwrap(request.encoded(), file: "x")
        for _ in 0..<1000 {
            var content = sound
            for _ in 0...random.below(2) {
                content[random.below(content.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            if random.chance(0.2) { content.removeLast(random.below(content.count)) }
            do throws(StorageError) {
                let parsed = try OwnerRequest(OwnerRequest.file.wrap(content), file: "x")
                #expect(try OwnerRequest(parsed.encoded(), file: "x") == parsed, "\(Ring.reproduction)")
            } catch {
                #expect(error.code == .corruption && error.file == "x", "\(Ring.reproduction)")
            }
        }
        try store.engine.close()
    }

    @Test func requestsAndAnswersComeBack() throws {
        var request = OwnerRequest(work: .reclaim)
        request.purged = [NamespaceID(rawValue: 1), NamespaceID(rawValue: 9)]
        request.options.recompresses = true
        request.options.extraDiskBytesMax = 7 << 40
        let longest = [UInt8](repeating: 0xff, count: FormatLimits.keyBytes)
        for scope in [
            CompactionScope.all, .keys(in: NamespaceID(rawValue: 3)),
            .keys(KeyRange(lower: .excluded(longest), upper: .included(longest)), in: NamespaceID(rawValue: 3)),
        ] {
            request.scope = scope
            #expect(try OwnerRequest(request.encoded(), file: "x") == request)
        }
        let long = String(repeating: "m", count: 5000)
        var report = OwnerWorkReport()
        report.returnedBytes = -5
        report.compaction.copiedBlocks = 3
        for state in [
            OwnerAnswer.State.waiting, .running(CompactionProgress(readBytes: 1, totalBytes: 2)), .done(report),
            .failed(code: .noSpace, message: "full"),
        ] {
            #expect(try OwnerAnswer(OwnerAnswer(state).encoded(), file: "x").state == state)
        }
        #expect(OwnerAnswer(.failed(code: .noSpace, message: long)).encoded().count <= OwnerAnswer.bytesMax)
        try store.engine.close()
    }
}
