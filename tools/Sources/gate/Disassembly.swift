import Foundation

/// The calls in an executable's machine code, by function. Names are symbols.
struct Disassembly {
    enum Target: Hashable {
        /// A function of the executable itself.
        case own(String)
        /// A function of a shared library.
        case foreign(String)
        /// An unknown target, called through a pointer.
        case pointer
    }

    private(set) var calls: [String: Set<Target>] = [:]

    static func of(_ binary: String) async throws -> Disassembly {
        Disassembly(try await Command.output("objdump", ["-d", "--no-show-raw-insn", binary]))
    }

    /// Parses the output of `objdump -d --no-show-raw-insn` for x86-64.
    init(_ text: String) {
        var function = ""
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            if line.last == UInt8(ascii: ":"), line.first != UInt8(ascii: " ") {
                if let name = Disassembly.name(in: Substring(line)) {
                    function = name
                    calls[function] = calls[function] ?? []
                }
            } else if let target = Disassembly.target(Substring(line), in: function) {
                calls[function, default: []].insert(target)
            }
        }
    }

    /// Returns the target of `…:\tcall   1234 <symbol>`, or of a jump to the beginning of another function, which is a
    /// tail call.
    private static func target(_ line: Substring, in function: String) -> Target? {
        guard let tab = line.utf8.firstIndex(of: UInt8(ascii: "\t")) else { return nil }
        let instruction = line[line.index(after: tab)...]
        let isCall = instruction.hasPrefix("call")
        guard isCall || instruction.first == "j" else { return nil }
        guard let name = name(in: instruction) else {
            // A jump through a register is far more often a switch than a tail call.
            let isThroughMemory = instruction.contains("*") && instruction.contains("(")
            return isCall || isThroughMemory ? .pointer : nil
        }
        if let plus = name.lastIndex(of: "+"), name[plus...].hasPrefix("+0x") {
            return isCall ? .own(String(name[..<plus])) : nil
        }
        if let stub = name.range(of: "@plt") { return .foreign(String(name[..<stub.lowerBound])) }
        if instruction.contains("*") { return .foreign(String(name.prefix { $0 != "@" })) }
        return name == function ? nil : .own(name)
    }

    /// Returns the text between the last `<` and the last `>`.
    private static func name(in text: Substring) -> String? {
        guard let start = text.utf8.lastIndex(of: UInt8(ascii: "<")),
            let end = text.utf8.lastIndex(of: UInt8(ascii: ">")), start < end
        else { return nil }
        return String(text[text.index(after: start)..<end])
    }
}

/// Readable names for symbols.
enum Demangler {
    /// Returns the short names of `symbols`: without module names and the optimizer's additions.
    static func names(of symbols: Set<String>) async throws -> [String: String] {
        let ordered = symbols.sorted()
        guard !ordered.isEmpty else { return [:] }
        let text = try await Command.output("swift-demangle", ["--simplified"], input: ordered.joined(separator: "\n"))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count >= ordered.count else { throw GateError("swift-demangle left names out") }
        return Dictionary(uniqueKeysWithValues: zip(ordered, lines.lazy.map(short)))
    }

    /// Removes the prefixes of specialised functions: for a rule, they are the same function.
    static func short(_ name: String) -> String {
        var name = Substring(name)
        for prefix in ["specialized ", "merged ", "partial apply for "] where name.hasPrefix(prefix) {
            name = name.dropFirst(prefix.count)
        }
        return String(name)
    }
}
