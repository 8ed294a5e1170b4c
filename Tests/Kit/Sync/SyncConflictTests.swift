import Shale
import ShaleBase
import ShaleCollections
import ShalePlatform
import ShaleSync
import ShaleSyncServer
import Testing

/// Changes of one record on two devices that don't know of each other.
@Suite struct SyncConflictTests {
    private let sync: LoopbackSync

    init() throws { sync = try LoopbackSync() }

    /// Two devices that have record 1.
    private func pair(_ rule: ConflictRule<ToDo>, secondTime: ManualTime? = nil) async throws -> (Device, Device) {
        let (a, b) = (try sync.device(1, rule: rule), try sync.device(2, rule: rule, time: secondTime))
        try await a.todos.insert(ToDo(id: 1, title: "Milk"))
        try await a.client.synchronise()
        try await b.client.synchronise()
        return (a, b)
    }

    private func change(_ device: Device, _ body: (inout ToDo) -> Void) throws {
        sync.time.advance(milliseconds: 10)
        try device.todos.modify(try RecordKey(1)) { (record) throws(StorageError) in body(&record) }
    }

    @Test func theLaterChangeWinsWhoeverSendsFirst() async throws {
        for laterIsFirst in [true, false] {
            let sync = try LoopbackSync()
            let (a, b) = (try sync.device(1), try sync.device(2))
            try a.todos.put(ToDo(id: 1, title: "early"))
            sync.time.advance(milliseconds: 10)
            try b.todos.put(ToDo(id: 1, title: "late"))
            for device in laterIsFirst ? [b, a, b] : [a, b, a] { try await device.client.synchronise() }
            #expect(try a.all().map(\.title) == ["late"])
            #expect(try b.all().map(\.title) == ["late"])
            let kept = try (laterIsFirst ? a : b).client.keptVersions()
            #expect(kept.count == 1)
            #expect(kept.first?.reason == .conflict)
        }
    }

    @Test func theLoserIsKeptAndReadable() async throws {
        let (a, b) = try await pair(.lastWriter)
        try change(a) { $0.title = "Oat milk" }
        try change(b) { $0.title = "Soy milk" }
        try await a.client.synchronise()
        try await b.client.synchronise()
        let kept = try #require(try b.client.keptVersions().first)
        #expect(try kept.theirs.map { try KeptVersion.record($0, as: ToDo.self).title } == "Oat milk")
        #expect(try kept.mine.map { try KeptVersion.record($0, as: ToDo.self).title } == "Soy milk")
        try b.client.removeKeptVersion(kept.id)
        #expect(try b.client.keptVersions().isEmpty)
    }

    @Test func keptVersionsOutliveARestart() async throws {
        let a: Device
        var device: Device
        (a, device) = try await pair(.lastWriter)
        for round in 0..<3 {
            try change(a) { $0.title = "a\(round)" }
            try change(device) { $0.title = "b\(round)" }
            try await a.client.synchronise()
            try await device.client.synchronise()
            try await a.client.synchronise()
            #expect(try device.client.keptVersions().count == round + 1)
            await device.client.stop()
            device = try Device(device.store, device.transport, sync.time, SeededRandom(seed: 5))
        }
    }

    @Test func changesOfDifferentFieldsAreBothThere() async throws {
        let (a, b) = try await pair(.fieldByField)
        try change(a) { $0.title = "Oat milk" }
        try change(b) { $0.isDone = true }
        for device in [a, b, a] { try await device.client.synchronise() }
        let merged = [ToDo(id: 1, title: "Oat milk", isDone: true)]
        #expect(try a.all() == merged)
        #expect(try b.all() == merged)
        #expect(try b.client.keptVersions().isEmpty)
    }

    @Test func aFieldThatOneSideClearsIsCleared() async throws {
        let (a, b) = try await pair(.fieldByField)
        try change(a) { $0.note = "2 l" }
        for device in [a, b] { try await device.client.synchronise() }
        try change(a) { $0.note = nil }
        try change(b) { $0.isDone = true }
        for device in [a, b, a] { try await device.client.synchronise() }
        #expect(try a.all() == [ToDo(id: 1, title: "Milk", isDone: true)])
        #expect(try b.all() == (try a.all()))
    }

    @Test func aClosureSeesBaseMineAndTheirs() async throws {
        let (a, b) = try await pair(
            .merging { versions in
                let titles = [versions.base, versions.mine, versions.theirs].map { $0?.title ?? "none" }
                return ToDo(id: 1, title: titles.joined(separator: "|"))
            })
        try change(a) { $0.title = "Oat" }
        try change(b) { $0.title = "Soy" }
        for device in [a, b, a] { try await device.client.synchronise() }
        #expect(try a.all().map(\.title) == ["Milk|Soy|Oat"])
        #expect(try b.all() == (try a.all()))
    }

    @Test func aClosureThatFailsGivesWayToTheLaterChange() async throws {
        struct Failure: Error {}
        let (a, b) = try await pair(.merging { _ in throw Failure() })
        try change(a) { $0.title = "Oat" }
        try change(b) { $0.title = "Soy" }
        for device in [a, b, a] { try await device.client.synchronise() }
        #expect(try a.all().map(\.title) == ["Soy"])
        #expect(try b.all() == (try a.all()))
    }

    @Test func aDeletionAndAChangeAreAConflict() async throws {
        let (a, b) = try await pair(.lastWriter)
        sync.time.advance(milliseconds: 10)
        try a.todos.delete(try RecordKey(1))
        try change(b) { $0.title = "Soy" }
        for device in [a, b, a] { try await device.client.synchronise() }
        #expect(try a.all().map(\.title) == ["Soy"])
        #expect(try b.all() == (try a.all()))
    }

    @Test func aChangeDuringAPushIsSentLater() async throws {
        let (a, b) = try await pair(.fieldByField)
        try change(a) { $0.title = "Oat" }
        a.client.engine.beginCycle()
        var exchange = try #require(try a.client.engine.prepare())
        while exchange.call == .pull {
            try a.client.engine.accept(exchange, try await sync.server.answer(.pull, body: exchange.body, user: "u"))
            exchange = try #require(try a.client.engine.prepare())
        }
        let reply = try await sync.server.answer(.push, body: exchange.body, user: "u")
        try change(a) { $0.isDone = true }
        try a.client.engine.accept(exchange, reply)
        for device in [a, b] { try await device.client.synchronise() }
        #expect(try b.all() == [ToDo(id: 1, title: "Oat", isDone: true)])
        #expect(try a.client.keptVersions().isEmpty)
    }

    @Test func aChangeDuringAPullIsMerged() async throws {
        let (a, b) = try await pair(.fieldByField)
        try change(b) { $0.title = "Oat" }
        try await b.client.synchronise()
        a.client.engine.beginCycle()
        let exchange = try #require(try a.client.engine.prepare())
        let reply = try await sync.server.answer(.pull, body: exchange.body, user: "u")
        try change(a) { $0.isDone = true }
        try a.client.engine.accept(exchange, reply)
        #expect(try a.all() == [ToDo(id: 1, title: "Oat", isDone: true)])
        for device in [a, b] { try await device.client.synchronise() }
        #expect(try b.all() == [ToDo(id: 1, title: "Oat", isDone: true)])
    }

    @Test func aRecordThatChangesTwiceBeforeACycleIsMergedFromItsFirstVersion() async throws {
        let (a, b) = try await pair(.fieldByField)
        try change(b) { $0.title = "Oat" }
        try await b.client.synchronise()
        try change(a) { $0.isDone = true }
        try change(a) { $0.isDone = true }
        for device in [a, b] { try await device.client.synchronise() }
        #expect(try b.all() == [ToDo(id: 1, title: "Oat", isDone: true)])
        #expect(try a.client.keptVersions().isEmpty)
    }

    // MARK: Clocks

    @Test func aClockThatIsAheadDoesNotWinForEver() async throws {
        let ahead = ManualTime(wallMilliseconds: sync.time.wallMilliseconds + 10 * 365 * 86_400_000)
        let b = try sync.device(2, time: ahead)
        try await b.todos.insert(ToDo(id: 1, title: "from 10 years ahead"))
        sync.time.advance(milliseconds: 5000)
        ahead.advance(milliseconds: 5000)
        let a = try sync.device(1)
        try await a.todos.insert(ToDo(id: 1, title: "later"))
        sync.time.advance(milliseconds: 5000)
        ahead.advance(milliseconds: 5000)
        for device in [a, b, a] { try await device.client.synchronise() }
        #expect(try a.all().map(\.title) == ["later"])
        #expect(try b.all().map(\.title) == ["later"])
    }

    @Test func aClockThatIsBehindDoesNotLoseForEver() async throws {
        let behind = ManualTime(wallMilliseconds: 1_000)
        let b = try sync.device(2, time: behind)
        let a = try sync.device(1)
        try await a.todos.insert(ToDo(id: 1, title: "early"))
        sync.time.advance(milliseconds: 5000)
        behind.advance(milliseconds: 5000)
        try await b.todos.insert(ToDo(id: 1, title: "later, in 1970"))
        for device in [a, b, a] { try await device.client.synchronise() }
        #expect(try a.all().map(\.title) == ["later, in 1970"])
    }

    @Test func aChangeThatTheServerRefusesIsUndoneAndKept() async throws {
        var options = SyncServer.Options()
        options.refusal = { change in
            let text = String(decoding: change.document ?? [], as: UTF8.self)
            return text.contains("forbidden") ? "no" : nil
        }
        let sync = try LoopbackSync(options)
        let a = try sync.device(1)
        try await a.todos.insert(ToDo(id: 1, title: "Milk"))
        try await a.client.synchronise()
        try a.todos.put(ToDo(id: 1, title: "forbidden"))
        try a.todos.put(ToDo(id: 2, title: "forbidden"))
        try await a.client.synchronise()
        #expect(try a.all() == [ToDo(id: 1, title: "Milk")])
        #expect(try a.client.keptVersions().map(\.reason) == [.refused("no"), .refused("no")])
        #expect(try a.client.engine.pendingCount() == 0)
    }
}
