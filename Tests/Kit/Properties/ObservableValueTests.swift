import Observation
import ShaleEngine
import ShaleKit
import ShalePlatform
import TestSupport
import Testing

/// Counts how often an observed expression has changed. Observes again after each change, as a view does.
@MainActor private final class Observer {
    private(set) var changes = 0
    private let read: @MainActor () -> Void

    init(_ read: @escaping @MainActor () -> Void) {
        self.read = read
        observe()
    }

    private func observe() {
        withObservationTracking {
            read()
        } onChange: { [weak self] in
            MainActor.assumeIsolated {
                self?.changes += 1
                Task { self?.observe() }
            }
        }
    }
}

/// Values that a view model observes.
@MainActor
@Suite struct ObservableValueTests {
    @Test func aWriteByAnotherThreadNotifiesAndIsShown() async throws {
        let fixture = try PropertyFixture()
        let theme = ObservableValue(.theme, in: fixture.settings)
        let observer = Observer { _ = theme.value }
        #expect(theme.value == "light")
        try await Task.detached { try fixture.settings.set("dark", for: .theme) }.value
        #expect(await until { theme.value == "dark" })
        #expect(await until { observer.changes == 1 })
        #expect(theme.error == nil && !theme.hasEnded)
    }

    @Test func aRemovalAndATruncationGiveTheDefault() async throws {
        let fixture = try PropertyFixture()
        try fixture.settings.set("dark", for: .theme)
        try fixture.settings.set("d", for: .draft)
        let theme = ObservableValue(.theme, in: fixture.settings)
        let draft = ObservableValue(.draft, in: fixture.settings)
        #expect(theme.value == "dark" && draft.value == "d")
        try fixture.settings.remove(.theme)
        #expect(await until { theme.value == "light" })
        try fixture.settings.truncate()
        #expect(await until { draft.value == nil })
    }

    @Test func anExpiryGivesTheDefault() async throws {
        let fixture = try PropertyFixture()
        let session = ObservableValue(.session, in: fixture.settings)
        session.value = "s"
        let observer = Observer { _ = session.value }
        #expect(session.value == "s")
        fixture.time.advance(milliseconds: 10_000)
        #expect(await until { session.value == nil })
        #expect(await until { observer.changes > 0 })
    }

    @Test func settingWritesThroughAndNotifiesOnce() async throws {
        let fixture = try PropertyFixture()
        let theme = ObservableValue(.theme, in: fixture.settings)
        let other = ObservableValue(.theme, in: fixture.settings)
        let observer = Observer { _ = theme.value }
        theme.value = "dark"
        #expect(theme.value == "dark")
        #expect(try fixture.settings.value(for: .theme) == "dark")
        #expect(await until { other.value == "dark" })
        try theme.remove()
        #expect(theme.value == "light")
        #expect(await until { other.value == "light" })
        #expect(observer.changes <= 2, "the object's own changes arrive as well, and are equal")
    }

    @Test func tenThousandWritesLeadToFewUpdates() async throws {
        let fixture = try PropertyFixture()
        let count = ObservableValue(.count, in: fixture.settings)
        let observer = Observer { _ = count.value }
        // The actor is busy meanwhile, so that no update can run between two writes.
        for number in 1...10_000 { try fixture.settings.set(number, for: .count) }
        #expect(count.value == 0)
        #expect(await until { count.value == 10_000 })
        #expect(await until { observer.changes > 0 })
        #expect(observer.changes <= 3)
    }

    @Test func manyWritersEndInTheLastValue() async throws {
        let fixture = try PropertyFixture()
        let count = ObservableValue(.count, in: fixture.settings)
        let writers = Task.detached {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 1...4 {
                    group.addTask {
                        for number in 1...500 { try fixture.settings.set(writer * 1000 + number, for: .count) }
                    }
                }
                try await group.waitForAll()
            }
            try fixture.settings.set(7, for: .count)
        }
        try await writers.value
        #expect(await until { count.value == 7 })
    }

    @Test func closingTheStoreEndsIt() async throws {
        let fixture = try PropertyFixture()
        let theme = ObservableValue(.theme, in: fixture.settings)
        theme.value = "dark"
        let observer = Observer { _ = theme.hasEnded }
        try await fixture.store.close()
        #expect(await until { theme.hasEnded })
        #expect(await until { observer.changes == 1 })
        #expect(theme.value == "dark", "the last value stays")
        #expect(code { () throws(StorageError) in try theme.set("blue") } == .closed)
    }

    @Test func aCancelledOneKeepsItsValue() async throws {
        let fixture = try PropertyFixture()
        let theme = ObservableValue(.theme, in: fixture.settings)
        let other = ObservableValue(.theme, in: fixture.settings)
        theme.cancel()
        #expect(theme.hasEnded)
        try fixture.settings.set("dark", for: .theme)
        #expect(await until { other.value == "dark" })
        #expect(theme.value == "light")
    }

    @Test func aReleasedOneEndsItsSubscription() async throws {
        weak var released: ObservableValue<String>?
        weak var engine: Engine?
        do {
            let store = try Store.inMemory()
            engine = store.engine
            let settings = store.common["settings"]
            let user = ObservableValue(.draft, in: store.currentUserNamespace("mail"))
            let theme = ObservableValue(.theme, in: settings)
            released = theme
            try settings.set("dark", for: .theme)
            try store.signIn("ada")
            #expect(await until { theme.value == "dark" && user.value == nil })
        }
        #expect(released == nil, "neither its task nor the store keeps it")
        #expect(await until { engine == nil }, "its tasks have ended, and keep no store")
    }

    @Test func aReleasedOneIsUpdatedNoMore() async throws {
        let fixture = try PropertyFixture()
        let other = ObservableValue(.theme, in: fixture.settings)
        var theme: ObservableValue? = ObservableValue(.theme, in: fixture.settings)
        var observer: Observer? = Observer { [theme] in _ = theme?.value }
        let changes = Locked(0)
        withObservationTracking {
            _ = theme?.value
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        try fixture.settings.set("dark", for: .theme)
        // The change waits for this actor; the object goes before it gets there.
        #expect(observer?.changes == 0)
        observer = nil
        theme = nil
        #expect(await until { other.value == "dark" })
        #expect(changes.withLock { $0 } == 0)
    }

    @Test func anErrorIsShownUntilASuccess() async throws {
        let fixture = try PropertyFixture()
        let count = ObservableValue(.count, in: fixture.settings)
        count.value = 3
        try fixture.settings.set("text", forKey: "count")
        #expect(await until { count.error?.code == .typeMismatch })
        #expect(count.value == 3, "an error is no default")
        #expect(fixture.store.health.failedReads > 0)
        try fixture.settings.set(4, for: .count)
        #expect(await until { count.value == 4 })
        #expect(count.error == nil && !count.hasEnded)
    }

    @Test func aFailedWriteIsShownAndStoresNothing() async throws {
        let fixture = try PropertyFixture()
        let ratios = ObservableValue(.ratios, in: fixture.settings)
        ratios.value = [2]
        ratios.value = [.nan]
        #expect(ratios.value == [2] && ratios.error?.code == .codecFailure)
        #expect(fixture.store.health.failedWrites == 1)
        ratios.value = [3]
        #expect(ratios.value == [3] && ratios.error == nil)
    }

    @Test func aNameThatIsTooLongIsAnError() throws {
        let fixture = try PropertyFixture()
        let long = fixture.store.common[String(repeating: "x", count: 10_000)]
        let theme = ObservableValue(.theme, in: long)
        #expect(theme.value == "light" && theme.error?.code == .invalidArgument)
    }
}

/// An actor with a model of its own.
private actor Worker {
    private var count: ObservableValue<Int>?

    func begin(_ settings: Store.Namespace) { count = ObservableValue(.count, in: settings, isolation: self) }

    func value(reaches target: Int) async -> Bool { await until { count?.value == target } }

    func add() throws { try count?.set((count?.value ?? 0) + 1) }
}

/// Observable values of other actors than the main one.
@Suite struct ObservableValueActorTests {
    @Test func anActorHasObservableValuesOfItsOwn() async throws {
        let fixture = try PropertyFixture()
        let worker = Worker()
        await worker.begin(fixture.settings)
        try fixture.settings.set(41, for: .count)
        #expect(await worker.value(reaches: 41))
        try await worker.add()
        #expect(try fixture.settings.value(for: .count) == 42)
    }

    @Test func anActorIsReleasedWithItsObservableValue() async throws {
        let fixture = try PropertyFixture()
        weak var released: Worker?
        do {
            let worker = Worker()
            released = worker
            await worker.begin(fixture.settings)
            try fixture.settings.set(1, for: .count)
            #expect(await worker.value(reaches: 1))
        }
        #expect(await until { released == nil }, "the task that waits for changes keeps no actor")
    }
}
