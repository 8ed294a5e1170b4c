/// The progress of a script, which determines the states that a store may show after a crash.
struct CrashProgress {
    /// `fingerprints[n]` is the state after the first n sequenced steps.
    private(set) var fingerprints: [UInt64] = [0]
    /// The number of sequenced steps that have returned: the minimum after the death of the process.
    private(set) var acknowledged = 0
    /// The number of sequenced steps that are durable: the minimum after a power loss.
    private(set) var durable = 0
    /// The namespaces that must exist, and those that may exist.
    private(set) var requiredNames: Set<String> = []
    private(set) var allowedNames: Set<String> = []

    private var oracle = Oracle()

    /// Records that a step begins: from now on it may have happened.
    mutating func begin(_ step: CrashStep, index: Int) {
        oracle.apply(step, index: index)
        if step.isSequenced { fingerprints.append(oracle.fingerprint) }
        switch step {
        case .create(let name): allowedNames.insert(name)
        case .drop(let names): requiredNames.subtract(names)
        default: break
        }
    }

    /// Records that a step has returned.
    mutating func end(_ step: CrashStep) {
        acknowledged = fingerprints.count - 1
        if step.isBarrier { durable = acknowledged }
        switch step {
        case .create(let name): requiredNames.insert(name)
        case .drop(let names): allowedNames.subtract(names)
        default: break
        }
    }

    /// Returns `nil` if `content` may be seen after a crash that leaves at least the first `floor` steps.
    func problem(with content: StoreContent, floor: Int) -> String? {
        guard requiredNames.isSubset(of: content.names) else {
            return "namespaces are missing: \(requiredNames.subtracting(content.names).sorted())"
        }
        guard content.names.isSubset(of: allowedNames) else {
            return "namespaces came back: \(content.names.subtracting(allowedNames).sorted())"
        }
        if fingerprints[floor...].contains(content.fingerprint) { return nil }
        if let n = fingerprints.lastIndex(of: content.fingerprint) {
            return "shows state \(n), but \(floor) was promised (begun \(fingerprints.count - 1))"
        }
        return
            "shows no state that ever was: entries=\(content.entryCount), promised \(floor) ... "
            + "\(fingerprints.count - 1)"
    }
}
