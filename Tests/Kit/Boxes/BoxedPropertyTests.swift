#if Encryption
    import ShaleKit
    import TestSupport
    import Testing

    private final class Session: DataBoxOwner {
        let dataBox: DataBox
        @Boxed(.standard) var userId: String?
        @Boxed(.vault, per: \.userId) var name: String?
        @Boxed(.restricted, per: \.userId) var version: String?
        @Boxed(.standard, per: \.userId) var launches = 0
        @Boxed(.standard, key: "other name") var renamed: [Int]?
        @Boxed(.standard) var note: String? = nil
        @Boxed(.standard) var colour: String? = "red"

        init(_ box: DataBox) { dataBox = box }
    }

    private class Base: DataBoxOwner {
        let dataBox: DataBox
        @Boxed(.standard) var name: String?
        init(_ box: DataBox) { dataBox = box }
    }

    private final class Derived: Base {
        @Boxed(.standard) var own: String?
    }

    @MainActor private final class Screen: DataBoxOwner {
        nonisolated let dataBox: DataBox
        @Boxed(.standard) var userId: String?
        @Boxed(.vault, per: \.userId) var token: String?
        init(_ box: DataBox) { dataBox = box }
    }

    /// Properties of classes, and users that sign in and out.
    @Suite struct BoxedPropertyTests {
        @Test func anotherUserIsAnotherValue() throws {
            try BoxFixture().launch { (box) throws in
                let session = Session(box)
                session.userId = "111"
                session.name = "aaa"
                session.version = "0.0.1"
                session.launches += 1
                session.userId = "222"
                #expect(session.name == nil && session.version == nil && session.launches == 0)
                session.name = "bbb"
                session.version = "0.0.2"
                session.userId = "111"
                #expect(session.name == "aaa" && session.version == "0.0.1" && session.launches == 1)
                session.userId = "222"
                #expect(session.name == "bbb" && session.version == "0.0.2" && session.launches == 0)
                #expect(box.health.failedReads == 0 && box.health.failedWrites == 0)
            }
        }

        @Test func anOptionalPropertyIsRemovedByNil() throws {
            try BoxFixture().launch { (box) throws in
                let session = Session(box)
                session.note = "n"
                session.colour = "blue"
                #expect(session.note == "n" && session.colour == "blue")
                session.note = nil
                session.colour = nil
                #expect(session.note == nil && session.colour == "red")
                let stored = box.store.common["boxes"].child("Session")
                #expect(try stored.count() == 0)
            }
        }

        @Test func valuesOutlastTheObjectAndTheProcess() throws {
            let fixture = BoxFixture()
            try fixture.launch { (box) throws in
                let session = Session(box)
                session.userId = "111"
                session.name = "aaa"
                session.renamed = [1]
                #expect(Session(box).name == "aaa")
            }
            try fixture.launch { (box) throws in
                #expect(Session(box).userId == "111" && Session(box).name == "aaa" && Session(box).renamed == [1])
                let compartment = box.compartment("Session", .standard)
                #expect(try compartment.value(forKey: "userId", as: String.self) == "111", "the key is the name")
                #expect(try compartment.value(forKey: "other name", as: [Int].self) == [1])
            }
        }

        @Test func withoutAUserNothingIsReadOrMade() throws {
            try BoxFixture().launch { (box) throws in
                let session = Session(box)
                #expect(session.name == nil && session.version == nil && session.launches == 0)
                #expect(box.health.failedReads == 0, "it is a state, and not a failure")
                session.name = "lost"
                session.launches = 7
                #expect(box.health.failedWrites == 2)
                #expect(box.health.failures.map(\.error.code) == [.noCurrentUser, .noCurrentUser])
                #expect(box.health.failures.map(\.key) == ["name", "launches"])
                #expect(
                    code { () throws(StorageError) in try session.$name.set("lost") } == .noCurrentUser)
                #expect(code { () throws(StorageError) in try session.$name.get() } == .noCurrentUser)
                session.userId = "111"
                #expect(session.name == nil && session.launches == 0)
                #expect(box.store.userIDs.isEmpty, "nothing was made")
            }
        }

        @Test func anErrorIsNotADefault() throws {
            try BoxFixture().launch { (box) throws in
                let session = Session(box)
                session.userId = "111"
                try box.compartment("Session", .standard, per: "111").set("text", forKey: "launches")
                #expect(session.launches == 0)
                #expect(box.health.failedReads == 1 && box.health.failures.first?.error.code == .typeMismatch)
                #expect(code { () throws(StorageError) in try session.$launches.get() } == .typeMismatch)
                try session.$launches.remove()
                #expect(try session.$launches.get() == 0)
            }
        }

        @Test func aProjectionStaysWithItsUser() throws {
            try BoxFixture().launch { (box) throws in
                let session = Session(box)
                session.userId = "111"
                let name = session.$name
                session.userId = "222"
                try name.set("aaa")
                #expect(session.name == nil)
                session.userId = "111"
                #expect(session.name == "aaa")
            }
        }

        @Test func subclassesHaveTheirOwnProperties() throws {
            try BoxFixture().launch { (box) throws in
                let derived = Derived(box)
                derived.name = "n"
                derived.own = "o"
                #expect(derived.name == "n" && derived.own == "o")
                #expect(Base(box).name == "n")
            }
        }

        @Test @MainActor func anActorUsesThemWithoutWaiting() throws {
            try BoxFixture().launch { (box) throws in
                let screen = Screen(box)
                screen.userId = "111"
                screen.token = "t"
                #expect(screen.token == "t")
            }
        }
    }
#endif
