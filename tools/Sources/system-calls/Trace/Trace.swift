import Foundation

/// The system calls of a trace, in the order in which they began.
struct Trace {
    let calls: [Call]

    init(contentsOf path: String) throws {
        self.init(String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self))
    }

    /// Parses the output of `strace -f -y`.
    ///
    /// A call that another thread interrupts is on two lines, which are joined. Calls that a signal interrupted had no
    /// effect and are left out: only their repetition matters.
    init(_ text: String) {
        var calls: [Call] = []
        var unfinished: [Substring: (text: Substring, begin: Int)] = [:]
        for (number, line) in text.split(separator: "\n").enumerated() {
            guard let space = line.firstIndex(of: " ") else { continue }
            let process = line[..<space]
            let rest = line[space...].drop { $0 == " " }
            if rest.hasSuffix("<unfinished ...>") {
                unfinished[process] = (rest.dropLast("<unfinished ...>".count), number)
            } else if rest.hasPrefix("<... "), let resumed = rest.range(of: " resumed>") {
                guard let start = unfinished.removeValue(forKey: process) else { continue }
                let whole = start.text + rest[resumed.upperBound...]
                if let call = Call(whole[...], begin: start.begin, end: number) { calls.append(call) }
            } else if let call = Call(rest, begin: number, end: number) {
                calls.append(call)
            }
        }
        calls.removeAll { $0.isInterrupted }
        self.calls = calls.sorted { $0.begin < $1.begin }
    }
}
