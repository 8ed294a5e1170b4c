import Foundation
import Posix

/// Runs hot paths under valgrind's callgrind.
struct Callgrind {
    private let binary: String
    /// The symbol of the function that encloses the counted work.
    private let region: String

    init(binary: String) async throws {
        self.binary = binary
        let lines = try await Command.output("nm", [binary]).split(separator: "\n")
        let symbols = lines.compactMap { $0.split(separator: " ").last }
        guard let region = symbols.first(where: { $0.contains("measuredRegion") }) else {
            throw GateError("\(binary) has no function measuredRegion")
        }
        self.region = String(region)
    }

    /// Profiles one hot path: only the work inside `measuredRegion`, without preparation and cleanup. (Toggling the
    /// collection there would suffice for instructions, but calls are always counted.)
    func profile(_ path: String) async throws -> CallgrindProfile {
        let directory = try makeTemporaryDirectory(prefix: "shale-gate")
        do {
            let profile = try await profile(path, in: directory)
            try removeTree(directory)
            return profile
        } catch {
            try removeTree(directory)
            throw error
        }
    }

    private func profile(_ path: String, in directory: String) async throws -> CallgrindProfile {
        let file = directory + "/profile"
        let options = [
            "--tool=callgrind", "--zero-before=\(region)", "--dump-after=\(region)", "--demangle=no",
            "--compress-strings=no", "--compress-pos=no", "--dump-line=no", "--callgrind-out-file=\(file)",
        ]
        // Otherwise the seeds of hash tables differ between processes, and the counts with them.
        let printed = try await Command.output(
            "valgrind", options + [binary, path], environment: ["SWIFT_DETERMINISTIC_HASHING": "1"])
        guard printed.contains("\tsame") else { throw GateError("\(path) computed different things in two runs") }
        return try CallgrindProfile(String(contentsOfFile: file + ".1", encoding: .utf8))
    }

    /// Profiles several hot paths, as many in parallel as there are processors. Returns the results in the order of
    /// `paths`.
    func profiles(_ paths: [String]) async throws -> [CallgrindProfile] {
        try await withThrowingTaskGroup(of: (Int, CallgrindProfile).self) { group in
            var results = [CallgrindProfile?](repeating: nil, count: paths.count)
            var waiting = Array(paths.enumerated())[...]
            func start() {
                guard let (index, path) = waiting.popFirst() else { return }
                group.addTask { (index, try await profile(path)) }
            }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { start() }
            while let (index, profile) = try await group.next() {
                results[index] = profile
                start()
            }
            return results.compactMap { $0 }
        }
    }
}

/// The result of callgrind: instructions, and the number of calls per caller and callee. Names are symbols.
struct CallgrindProfile: Equatable {
    struct Function: Hashable {
        let symbol: String
        /// The path of the executable or library.
        let object: String
    }

    struct Call: Hashable {
        let caller: Function
        let callee: Function
    }

    private(set) var instructions = 0
    /// The instructions inside a function, without those in the functions that it calls.
    private(set) var ownInstructions: [Function: Int] = [:]
    private(set) var calls: [Call: Int] = [:]

    /// Parses a file that was written without compression of names and positions.
    init(_ text: String) throws {
        var object = ""
        var function = Function(symbol: "", object: "")
        var calleeObject: String?
        var calleeSymbol = ""
        var isBehindCall = false
        for line in text.split(separator: "\n") {
            if let value = line.value(of: "ob=") {
                object = value
            } else if let value = line.value(of: "fn=") {
                function = Function(symbol: value, object: object)
            } else if let value = line.value(of: "cob=") {
                calleeObject = value
            } else if let value = line.value(of: "cfn=") {
                calleeSymbol = value
            } else if let value = line.value(of: "calls=") {
                guard let count = Int(value.prefix { $0 != " " }) else { throw GateError("no callgrind line: \(line)") }
                let callee = Function(symbol: calleeSymbol, object: calleeObject ?? object)
                calls[Call(caller: function, callee: callee), default: 0] += count
                calleeObject = nil
                isBehindCall = true
            } else if let value = line.value(of: "summary: ") {
                guard let total = Int(value) else { throw GateError("no callgrind line: \(line)") }
                instructions = total
            } else if let first = line.first, first.isNumber {
                // For a call, this line holds the cost inside the called function.
                if isBehindCall {
                    isBehindCall = false
                } else {
                    guard let cost = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { continue }
                    ownInstructions[function, default: 0] += cost
                }
            }
        }
        guard instructions > 0 else { throw GateError("callgrind collected nothing") }
    }
}

extension Substring {
    fileprivate func value(of key: String) -> String? { hasPrefix(key) ? String(dropFirst(key.count)) : nil }
}
