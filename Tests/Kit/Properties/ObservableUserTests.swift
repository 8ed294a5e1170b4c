import ShaleKit
import TestSupport
import Testing

/// Observable values that follow the current user.
@MainActor
@Suite struct ObservableUserTests {
    @Test func aSignInShowsTheValueOfTheNewUser() async throws {
        let fixture = try PropertyFixture()
        try fixture.store.user("ada")["mail"].set("a", for: .draft)
        try fixture.store.user("bob")["mail"].set("b", for: .draft)
        let draft = ObservableValue(.draft, in: fixture.store.currentUserNamespace("mail"))
        #expect(draft.value == nil && draft.error == nil, "the absence of a user is a state")
        try fixture.store.signIn("ada")
        #expect(await until { draft.value == "a" })
        try fixture.store.signIn("bob")
        #expect(await until { draft.value == "b" })
        try fixture.store.user("ada")["mail"].set("changed", for: .draft)
        try fixture.store.user("bob")["mail"].set("c", for: .draft)
        #expect(await until { draft.value == "c" })
        fixture.store.signOut()
        #expect(await until { draft.value == nil })
        #expect(fixture.store.health.isGood)
    }

    /// A value that was read for one user and changed is never written for another.
    @Test func untilTheNewValueIsShownWritesGoToTheUserThatIsShown() async throws {
        let fixture = try PropertyFixture()
        try fixture.store.signIn("ada")
        let draft = ObservableValue(.draft, in: fixture.store.currentUserNamespace("mail"))
        draft.value = "a"
        try fixture.store.signIn("bob")
        draft.value = (draft.value ?? "") + "a"
        #expect(try fixture.store.user("ada")["mail"].value(for: .draft) == "aa")
        #expect(await until { draft.value == nil })
        draft.value = "b"
        #expect(try fixture.store.user("bob")["mail"].value(for: .draft) == "b")
    }

    @Test func withoutAUserAWriteIsAnError() async throws {
        let fixture = try PropertyFixture()
        let count = ObservableValue(.count, in: fixture.store.currentUserNamespace("mail"))
        count.value = 1
        #expect(count.value == 0 && count.error?.code == .noCurrentUser)
        #expect(fixture.store.health.failures.map(\.error.code) == [.noCurrentUser])
        #expect(code { () throws(StorageError) in try count.remove() } == .noCurrentUser)
        try fixture.store.signIn("ada")
        #expect(await until { count.error == nil })
        count.value = 2
        #expect(count.value == 2 && count.error == nil)
    }

    @Test func closingTheStoreEndsItWithoutAUser() async throws {
        let fixture = try PropertyFixture()
        let draft = ObservableValue(.draft, in: fixture.store.currentUserNamespace("mail"))
        try await fixture.store.close()
        #expect(await until { draft.hasEnded })
    }
}
