import ExampleSupport
import Foundation
import Shale

/// Closures of users: none names a type of its parameters, of its result or of its errors.
enum ClosureIdioms {
    enum Refusal: Error, Equatable { case tooLate, tooFew(Int) }

    static func run(_ store: Store) throws {
        let stock = store.common["stock"]
        try shorthand(store, stock)
        try scans(stock)
        try updates(stock)
        try standardFunctions(stock)
        try ownErrorsLeaveEveryClosure(store, stock)
        try progress(store)
    }

    /// The shortest form of a write and of a transaction.
    private static func shorthand(_ store: Store, _ stock: Store.Namespace) throws {
        try store.write { try $0.set(3, forKey: "tea", in: stock) }
        try store.transaction { try $0.set(5, forKey: "salt", in: stock) }
        let sum = try store.transaction {
            try $0.value(forKey: "tea", in: stock, as: Int.self).map { $0 + 1 } ?? 0
        }
        expect(sum == 4, "a transaction returns what its body returns")
    }

    private static func scans(_ stock: Store.Namespace) throws {
        try stock.entries.forEach { print($0.key, try $0.value(as: Int.self)) }
        let large = try stock.entries.filter { try $0.value(as: Int.self) > 4 }.map(\.key)
        expect(large == ["salt"], "filter")
        let sum = try stock.entries.reduce(0) { try $0 + $1.value(as: Int.self) }
        expect(sum == 8, "reduce")
        let first = try stock.entries.first { try $0.value(as: Int.self) == 3 }
        expect(first?.key == "tea", "first(where:)")
        if try stock.keys.contains(where: { $0 == "rice" }) { expect(false, "no rice") }
        let cursor = stock.keys(prefix: "t").cursor()
        while let key = try cursor.next() { expect(key == "tea", "a loop without async") }
    }

    private static func updates(_ stock: Store.Namespace) throws {
        try stock.update(forKey: "tea", default: 0) { $0 += 1 }
        let before = try stock.update(forKey: "tea", default: 0) { count in
            defer { count -= 1 }
            return count
        }
        expect(before == 4, "an update returns what its body returns")
        expect(try stock.int(forKey: "tea") == 3, "read, changed and written")
    }

    /// Closures of the standard library, with calls that throw inside.
    private static func standardFunctions(_ stock: Store.Namespace) throws {
        let counts = try ["tea", "salt", "rice"].map { try stock.int(forKey: $0) }
        expect(counts == [3, 5, nil], "map")
        let known = try ["tea", "rice"].filter { try stock.contains($0) }
        expect(known == ["tea"], "filter")
        let result = Result { try stock.int(forKey: "tea") }
        expect((try? result.get()) == 3, "a result")
        let lazy = { try stock.int(forKey: "salt") }
        expect(try lazy() == 5, "a closure in a constant")
    }

    private static func ownErrorsLeaveEveryClosure(_ store: Store, _ stock: Store.Namespace) throws {
        do {
            try stock.entries.forEach { if try $0.value(as: Int.self) > 4 { throw Refusal.tooLate } }
            expect(false, "the error ends the scan")
        } catch Refusal.tooLate {}
        do {
            try stock.update(forKey: "tea", default: 0) { count in
                guard count >= 10 else { throw Refusal.tooFew(count) }
                count -= 10
            }
            expect(false, "the error ends the update")
        } catch Refusal.tooFew(let count) {
            expect(try count == 3 && stock.int(forKey: "tea") == 3, "nothing was written")
        }
        do {
            try store.transaction {
                try $0.set(0, forKey: "tea", in: stock)
                guard try $0.value(forKey: "rice", in: stock, as: Int.self) != nil else { throw Refusal.tooLate }
            }
            expect(false, "the error ends the transaction")
        } catch let error as Refusal {
            expect(try error == .tooLate && stock.int(forKey: "tea") == 3, "nothing was written")
        }
    }

    /// The progress of a purge may end it with any error.
    private static func progress(_ store: Store) throws {
        do {
            try store.purge { _ in throw Refusal.tooLate }
            expect(false, "the error ends the purge")
        } catch let error as Refusal {
            expect(error == .tooLate, "it arrives unchanged")
        }
    }

    /// Loops over a scan and over values, and tasks.
    static func loops(_ store: Store) async throws {
        let stock = store.common["stock"]
        for (key, value) in ["tea": 3, "salt": 5] { try stock.set(value, forKey: key) }
        try stock.set("text", forKey: "wrong")
        do {
            for try await entry in stock.entries { _ = try entry.value(as: Int.self) }
            expect(false, "a text is no number")
        } catch {
            expect(error.code == .typeMismatch, "the code needs no cast")
        }
        try stock.remove("wrong")
        for try await tea in try stock.values(forKey: "tea", as: Int.self) {
            expect(tea == 3, "the current value comes first")
            break
        }
        try await store.write { try $0.set(4, forKey: "tea", in: stock) }
        async let tea = stock.int(forKey: "tea")
        expect(try await tea == 4, "async let")
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for key in ["tea", "salt"] { group.addTask { try stock.int(forKey: key) ?? 0 } }
            return try await group.reduce(0, +)
        }
        expect(sum == 9, "a group of tasks")
    }
}
