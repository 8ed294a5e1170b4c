import ShaleBase
import ShaleEngine
import ShaleSimulation
import TestSupport
import Testing

/// A copy of a file under another number of its kind changes no answer, or is an error (contract ).
@Suite struct DuplicatedFileTests {
    @Test(arguments: [true, false])
    func aCopyOfAFileChangesNoAnswer(isClosed: Bool) throws {
        let store = try DamagedStore(isClosed: isClosed)
        var states = 0
        for (path, bytes) in DamageCampaign(store: store).files {
            guard let number = DuplicatedFileTests.number(in: path) else { continue }
            for other in max(1, number - 3)...number + 30 {
                let copy = DuplicatedFileTests.path(path, numbered: other)
                guard store.healthy.read(copy) == nil else { continue }
                let disk = store.healthy.crashClone(.keepAll)
                disk.write(copy, bytes)
                states += 1
                let problem = store.problem(on: disk, allowsOlder: false, mustBeVerified: false)
                #expect(problem == nil, "\(path) copied to \(copy), closed=\(isClosed)")
            }
        }
        Ring.covered(states, "damaged stores", "copies, closed=\(isClosed)")
    }

    private static func number(in path: String) -> Int? { Int(path.filter(\.isNumber)) }

    private static func path(_ path: String, numbered number: Int) -> String {
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, 10 - digits.count)) + digits
        let old = path.filter(\.isNumber)
        guard let range = path.firstRange(of: old) else { return path }
        return path.replacingCharacters(in: range, with: padded)
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
