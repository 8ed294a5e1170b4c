import Shale
import ShalePlatform
import Synchronization
import TestSupport
import Testing

/// A write that begins for one user never reaches another user's namespace, even while the user changes constantly.
@Suite struct UserSwitchTests {
    @Test func writesStayWithTheUserTheyWereBegunFor() throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        let rounds = Ring.choose(commit: 2000, nightly: 50_000, release: 200_000)
        let isOver = Atomic(false)
        try store.signIn("a")
        let switcher = try WorkerThread.start(name: "switcher") {
            do {
                while !isOver.load(ordering: .relaxed) {
                    try store.signIn("b")
                    try store.signIn("a")
                }
            } catch {
                Issue.record(error)
            }
        }
        for round in 0..<rounds {
            let space = try store.current
            let user = try #require(space.userID)
            try store.write { (batch) throws(StorageError) in
                try batch.set(user, forKey: "\(round) first", in: space["n"])
                try batch.set(user, forKey: "\(round) second", in: space["m"])
            }
        }
        isOver.store(true, ordering: .relaxed)
        switcher.join()
        for user in ["a", "b"] {
            let space = store.user(user)
            #expect(try space["n"].entries.allSatisfy { try $0.get().value(as: String.self) == user })
            #expect(try space["n"].count() == space["m"].count())
        }
        #expect(try store.user("a")["n"].count() + store.user("b")["n"].count() == rounds)
    }
}
