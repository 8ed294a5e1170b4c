import ShalePlatform

/// A kind of call to the file system.
package enum OperationKind: String, CaseIterable, Sendable {
    case openDirectory, create, open, exists, list, rename, link, remove, syncDirectory, lock, freeBytes
    case write, preallocate, truncate, sync, close
    case size, read

    package var isSync: Bool { self == .sync || self == .syncDirectory }

    /// True if the call changes content or names that are written back later.
    var isWrittenBack: Bool { OperationSet.writtenBack.contains(self) }
}

/// One counted call. Two runs of one script on two file systems give the same list.
package struct Operation: Sendable, Equatable, CustomStringConvertible {
    package let index: Int
    package let kind: OperationKind
    /// The path from the root of the simulated file system; for a rename or link, the path of the source.
    package let path: String

    package var description: String { "#\(index) \(kind.rawValue) \(path)" }
}

/// A set of kinds of calls.
package struct OperationSet: Sendable, ExpressibleByArrayLiteral {
    private let kinds: Set<OperationKind>

    package init(_ kinds: Set<OperationKind>) { self.kinds = kinds }

    package init(arrayLiteral elements: OperationKind...) { kinds = Set(elements) }

    package func contains(_ kind: OperationKind) -> Bool { kinds.contains(kind) }

    package static let all = OperationSet(Set(OperationKind.allCases))
    package static let syncs: OperationSet = [.sync, .syncDirectory]
    /// The calls that change content or names, which are written back later.
    package static let writtenBack: OperationSet = [.create, .rename, .link, .remove, .write, .preallocate, .truncate]
    /// The calls that can change the disk.
    package static let changes: OperationSet = [
        .openDirectory, .create, .rename, .link, .remove, .syncDirectory, .lock, .write, .preallocate, .truncate, .sync,
    ]
    /// The calls that only read.
    package static let reads: OperationSet = [.open, .exists, .list, .freeBytes, .size, .read]
}

/// Counts calls and decides which of them fail. Guarded by the file system's lock.
struct FaultInjector {
    private struct Active {
        let rule: FaultRule
        var matches = 0
        var isSpent = false
    }

    private(set) var operations: [Operation] = []
    private(set) var operationCount = 0
    private(set) var fired: [FiredFault] = []
    private(set) var hasCrashed = false
    var recordsOperations = true
    private var rules: [Active] = []
    private let random: SeededRandom

    init(random: SeededRandom) { self.random = random }

    mutating func inject(_ rule: FaultRule) { rules.append(Active(rule: rule)) }

    mutating func removeRules() { rules = [] }

    /// Counts a call. The first rule that fires decides; `crashHere` stays in effect forever.
    mutating func admit(_ kind: OperationKind, _ path: String) -> FaultRule.Effect? {
        let operation = Operation(index: operationCount, kind: kind, path: path)
        operationCount += 1
        if recordsOperations { operations.append(operation) }
        if hasCrashed { return .crashHere }
        for index in rules.indices where fires(&rules[index], operation) {
            let rule = rules[index].rule
            rules[index].isSpent = !rule.repeatsForever
            fired.append(FiredFault(operation: operation, effect: rule.effect))
            if rule.effect == .crashHere { hasCrashed = true }
            return rule.effect
        }
        return nil
    }

    /// Draws how many of `count` later changes, from the first one on, reach the medium without a sync.
    func drawMore(_ count: Int) -> Int { count > 0 ? random.below(count + 1) : 0 }

    /// Draws which of `count` words a dying process has stored.
    func drawStored(_ count: Int) -> [Bool] { (0..<count).map { _ in random.chance(0.5) } }

    private func fires(_ active: inout Active, _ operation: Operation) -> Bool {
        let rule = active.rule
        guard !active.isSpent, rule.operations.contains(operation.kind), rule.applies(to: operation.kind),
            rule.path.matches(operation.path)
        else { return false }
        active.matches += 1
        switch rule.when {
        case .index(let index):
            return rule.repeatsForever ? operation.index >= index : operation.index == index
        case .match(let count):
            return rule.repeatsForever ? active.matches >= count : active.matches == count
        case .every(let count): return active.matches.isMultiple(of: max(1, count))
        case .random(let probability): return random.chance(probability)
        case .after(let index): return operation.index >= index
        case .always: return true
        }
    }
}
