// The ways in which Swift programs handle errors, each with this library. Every function here compiles without
// annotations and does what it says.
import ExampleSupport
import Foundation
import Shale

@main
struct Idioms {
    static func main() async throws {
        try withTemporaryDirectory { directory in
            let store = try Store(at: directory + "/store")
            let settings = store.common["settings"]
            try settings.set("text", forKey: "name")
            catchOneType(settings)
            catchInferred(settings)
            catchInAThrowingFunction(store)
            tryOptional(settings)
            switchOverCodes(settings)
            expect(earlyReturn(settings) == 4, "an early return inside do")
            expect(mustHave(settings) == "text", "a call that never returns in a catch")
            try ownErrors(store)
            texts(settings)
            try ownErrorWithACause(settings)
            try ClosureIdioms.run(store)
            try KeyIdioms.run(settings)
            try KeyIdioms.generic(settings)
            try store.close()
        }
        try await tasks()
        print("every idiom does what it says")
    }

    /// `catch let error as` works beside typed throws.
    static func catchOneType(_ settings: Store.Namespace) {
        do {
            _ = try settings.value(forKey: "name", as: Int.self)
            _ = try JSONSerialization.jsonObject(with: Data("1".utf8), options: .fragmentsAllowed)
            expect(false, "a text is no number")
        } catch let error as StorageError {
            expect(error.code == .typeMismatch, "the error of the store")
        } catch {
            expect(false, "no other error is possible here: \(error)")
        }
    }

    /// If only the store throws, the error in `catch` has its type.
    static func catchInferred(_ settings: Store.Namespace) {
        do {
            _ = try settings.value(forKey: "name", as: Int.self)
            expect(false, "a text is no number")
        } catch {
            expect(error.code == .typeMismatch, "the code needs no cast")
        }
    }

    /// A pattern with a condition.
    static func catchInAThrowingFunction(_ store: Store) {
        do {
            try store.transaction { transaction in
                try transaction.set(1, forKey: "count", in: store.common["settings"])
                throw CancellationError()
            }
        } catch let error as StorageError where error.code == .conflict {
            expect(false, "no other writer")
        } catch is CancellationError {
            expect((try? store.common["settings"].contains("count")) == false, "nothing was written")
        } catch {
            expect(false, "\(error)")
        }
    }

    /// `try?` gives `nil` for a missing value and for an error alike. Use it where both mean the same.
    static func tryOptional(_ settings: Store.Namespace) {
        expect((try? settings.value(forKey: "none", as: String.self)) == nil, "a missing value is nil")
        expect((try? settings.value(forKey: "name", as: Int.self)) == nil, "an error is nil too")
        if let name = try? settings.string(forKey: "name") { expect(name == "text", "if let") }
        guard let name = try? settings.value(forKey: "name", as: String.self) else { return expect(false, "guard let") }
        expect(name == "text", "guard let")
    }

    static func switchOverCodes(_ settings: Store.Namespace) {
        do {
            _ = try settings.value(forKey: "name", as: Int.self)
        } catch {
            switch error.code {
            case .noSpace, .stalled: expect(false, "try again later")
            case .typeMismatch, .codecFailure: break
            default: expect(false, "\(error)")
            }
        }
    }

    static func earlyReturn(_ settings: Store.Namespace) -> Int {
        do {
            guard let name = try settings.value(forKey: "name", as: String.self) else { return 0 }
            return name.count
        } catch {
            return -1
        }
    }

    /// Two calls that throw, and one that never returns. The call that never returns is in the `catch`: inside the
    /// `do`, after two calls that throw, it has ended the compiler of Swift 6.3.
    static func mustHave(_ settings: Store.Namespace) -> String {
        do {
            guard try settings.contains("name") else { return stop("no name") }
            if let name = try settings.value(forKey: "name", as: String.self) { return name }
        } catch {
            fail(error)
        }
        return stop("the name was removed")
    }

    static func fail(_ error: StorageError) -> Never {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
    }

    static func stop(_ reason: String) -> String {
        expect(false, reason)
        return ""
    }

    enum Refusal: Error, Equatable { case tooLate }

    /// The program's own errors end a write and arrive unchanged.
    static func ownErrors(_ store: Store) throws {
        let orders = store.common["orders"]
        do {
            try store.write { batch in
                try batch.set("tea", forKey: "1", in: orders)
                throw Refusal.tooLate
            }
            expect(false, "the error is thrown")
        } catch Refusal.tooLate {
            expect(try !orders.contains("1"), "nothing was written")
        }
    }

    struct LoadFailure: Error {
        let cause: StorageError
    }

    /// An error of the store inside one of the program's own.
    static func ownErrorWithACause(_ settings: Store.Namespace) throws {
        func load() throws(LoadFailure) -> Int {
            do {
                return try settings.value(forKey: "name", as: Int.self) ?? 0
            } catch {
                throw LoadFailure(cause: error)
            }
        }
        do {
            _ = try load()
            expect(false, "a text is no number")
        } catch {
            expect(error.cause.code == .typeMismatch, "the cause has its type")
        }
    }

    /// Texts for an alert.
    static func texts(_ settings: Store.Namespace) {
        do {
            _ = try settings.value(forKey: "name", as: Int.self)
        } catch {
            expect(error.localizedDescription == "The stored value has another type.", error.localizedDescription)
            expect(error.recoverySuggestion?.isEmpty == false, "a suggestion")
        }
    }

    /// In closures the type of the error is stated.
    static func tasks() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/shale-idioms-\(UUID().uuidString)"
        defer { _ = try? FileManager.default.removeItem(atPath: path) }
        let store = try Store(at: path)
        let counters = store.common["counters"]
        let task = Task {
            do throws(StorageError) {
                try counters.set(1, forKey: "visits")
                _ = try counters.string(forKey: "visits")
                return StorageError.Code?.none
            } catch {
                return error.code
            }
        }
        let code = await task.value
        expect(code == .typeMismatch, "a task knows the type of its errors")
        let result = Result { () throws(StorageError) in try counters.int(forKey: "visits") }
        guard case .success(1?) = result else { return expect(false, "a result of a call") }
        try await ClosureIdioms.loops(store)
        try await store.close()
        let visits = (try? counters.int(forKey: "visits")) ?? 0
        expect(visits == 0, "try? hides that the store is closed")
    }
}
