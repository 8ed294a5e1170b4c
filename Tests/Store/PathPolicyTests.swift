import Shale
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Paths with limits act as policies: on demand, as a dry run, and in the background.
@Suite struct PathPolicyTests {
    private static let limited = [
        PurgeablePath("aged", maximumAge: 80), PurgeablePath("large", maximumBytes: 3 * 4096, trimTo: 0.5),
    ]

    /// Makes a directory with 4 files that limits select, 3 files that they do not select, and a path without limits.
    private func filled() throws -> PathFixture {
        let place = try PathFixture()
        try place.write("aged/old", age: 100)
        try place.write("aged/new", age: 50)
        for index in 0..<4 { try place.write("large/\(index)", age: Double(index)) }
        try place.write("all/x")
        return place
    }

    private func register(_ place: PathFixture) throws {
        try place.store.registerPurgeable(Self.limited + [PurgeablePath("all")], under: place.root)
        place.store.registerPurgeable(named: "handler") { (_) in
            Issue.record("a handler has no limits")
            return PurgeHandlerResult(files: 0, returnedBytes: 0)
        }
    }

    @Test func policiesTakeWhatTheLimitsSelect() throws {
        let place = try filled()
        try register(place)
        let dry = try place.store.purgeDryRun(by: .policies).outside
        #expect(dry.map(\.name) == ["aged", "large"] && dry.map(\.files) == [1, 3])
        #expect(place.exists("aged/old"), "a dry run removes nothing")
        let report = try place.store.purge(by: .policies).outside
        #expect(report.map(\.files) == [1, 3] && report.map(\.returnedBytes) == [4096, 3 * 4096])
        #expect(!place.exists("aged/old") && place.exists("aged/new") && place.exists("all/x"))
        #expect(place.exists("large/0") && !place.exists("large/1"))
        place.fixture.time.advance(milliseconds: 40_000)
        #expect(try place.store.purge(by: .policies).outside.map(\.files) == [1, 0])
        #expect(try place.store.purge(.common, by: .policies).outside.isEmpty)
    }

    @Test func theBackgroundAppliesThemByTheStoresClock() async throws {
        let place = try filled()
        try place.fixture.reopen { $0.purgeInterval = .milliseconds(5) }
        var events = place.store.purgeEvents.makeAsyncIterator()
        // Only a path needs the thread.
        try place.store.registerPurgeable(Self.limited + [PurgeablePath("all")], under: place.root)
        guard case .applied(let report)? = await events.next() else {
            Issue.record("no report")
            return
        }
        #expect(report.entries == 0 && report.outside.map(\.files) == [1, 3])
        #expect(!place.exists("aged/old") && place.exists("aged/new") && place.exists("all/x"))
        place.fixture.time.advance(milliseconds: 40_000)
        guard case .applied(let next)? = await events.next() else {
            Issue.record("no second report")
            return
        }
        #expect(next.outside.map(\.files) == [1, 0] && !place.exists("aged/new"))
    }

    @Test func backgroundFailuresAreReported() async throws {
        let place = try PathFixture()
        try place.write("file")
        try place.fixture.reopen { $0.purgeInterval = .milliseconds(5) }
        var events = place.store.purgeEvents.makeAsyncIterator()
        // The root directory of the path is a file.
        try place.store.registerPurgeable([PurgeablePath("x", maximumAge: 1)], under: place.root + "/file")
        guard case .failed(let error)? = await events.next() else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .ioFailure)
    }

    @Test func aPurgeByPoliciesCanBeCancelledAtAnyFile() throws {
        let place = try filled()
        try register(place)
        var files: Set<Int> = []
        for limit in 0..<40 {
            var left = limit
            let found = code { () throws(StorageError) in
                try place.store.purge(by: .policies) { (progress) throws(StorageError) in
                    guard progress.phase == .outside else { return }
                    if left == 0 { throw StorageError(.cancelled, "enough") }
                    left -= 1
                }
            }
            guard found == .cancelled else { break }
            files.insert(["aged/old", "large/1", "large/2", "large/3"].count { place.exists($0) })
        }
        #expect(files.count > 2, "some cancelled in the middle")
        #expect(!place.exists("aged/old") && place.exists("aged/new") && place.exists("large/0"))
    }

    @Test func aReadOnlyStoreRemovesNothing() throws {
        let place = try filled()
        try place.fixture.reopen {
            $0.engine.mode = .readOnly
            $0.purgeInterval = .milliseconds(1)
        }
        try place.store.registerPurgeable(Self.limited, under: place.root)
        #expect(code { () throws(StorageError) in try place.store.purge(by: .policies) } == .readOnly)
        #expect(place.exists("aged/old"))
    }
}
