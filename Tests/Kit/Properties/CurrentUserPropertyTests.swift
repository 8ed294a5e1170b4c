import ShaleKit
import TestSupport
import Testing

private struct Mail: Sendable {
    @Stored<String?, Store.CurrentUserNamespace> var draft: String?
    @Stored<Int, Store.CurrentUserNamespace> var count: Int

    init(_ store: Store) {
        _draft = Stored(.draft, in: store.currentUserNamespace("mail"))
        _count = Stored(.count, in: store.currentUserNamespace("mail").child("counters"))
    }
}

/// Properties that follow the current user.
@Suite struct CurrentUserPropertyTests {
    @Test func anotherUserIsAnotherValue() throws {
        let fixture = try PropertyFixture()
        let mail = Mail(fixture.store)
        try fixture.store.signIn("ada")
        mail.draft = "a"
        mail.count += 1
        try fixture.store.signIn("bob")
        #expect(mail.draft == nil && mail.count == 0)
        mail.draft = "b"
        try fixture.store.signIn("ada")
        #expect(mail.draft == "a" && mail.count == 1)
        #expect(try fixture.store.user("bob")["mail"].value(for: .draft) == "b")
        #expect(try fixture.store.user("ada")["mail"].child("counters").value(for: .count) == 1)
    }

    @Test func withoutAUserAReadIsTheDefaultAndAWriteAnError() throws {
        let fixture = try PropertyFixture()
        let mail = Mail(fixture.store)
        #expect(mail.draft == nil && mail.count == 0)
        #expect(fixture.store.health.isGood, "it is a state, and not a failure")
        mail.count = 7
        let failures = fixture.store.health.failures
        #expect(failures.map(\.error.code) == [.noCurrentUser] && failures.map(\.access) == [.write])
        #expect(failures.map(\.path) == [["mail", "counters"]] && failures.map(\.userID) == [nil])
        #expect(code { () throws(StorageError) in try mail.$count.get() } == .noCurrentUser)
        #expect(code { () throws(StorageError) in try mail.$count.values() } == .noCurrentUser)
        try fixture.store.signIn("ada")
        #expect(mail.count == 0)
        #expect(fixture.store.userIDs.isEmpty, "nothing was made")
    }

    @Test func aProjectionStaysWithItsUser() throws {
        let fixture = try PropertyFixture()
        let mail = Mail(fixture.store)
        try fixture.store.signIn("ada")
        let draft = mail.$draft
        try fixture.store.signIn("bob")
        try draft.set("a")
        #expect(mail.draft == nil)
        fixture.store.signOut()
        #expect(try draft.get() == "a")
    }

    @Test func aProjectionWithoutAUserStaysWithoutOne() throws {
        let fixture = try PropertyFixture()
        let draft = Mail(fixture.store).$draft
        try fixture.store.signIn("ada")
        #expect(code { () throws(StorageError) in try draft.set("a") } == .noCurrentUser)
    }

    @Test func placesAreEqualIfTheirAccessesGoToTheSameValues() throws {
        let (fixture, other) = (try PropertyFixture(), try PropertyFixture())
        let place = fixture.store.currentUserNamespace("mail")
        #expect(place == fixture.store.currentUserNamespace("mail"))
        #expect(place != place.child("mail") && place != other.store.currentUserNamespace("mail"))
        try fixture.store.signIn("ada")
        let ada = place.pinned()
        #expect(ada != place && ada == place.pinned())
        try fixture.store.signIn("bob")
        #expect(ada != place.pinned())
    }
}
