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
