import Foundation

/// Compares the hot paths of a release build with the recorded values. `tools/gate` builds and runs it.
@main
enum Gate {
    static let usage = """
        usage: gate --binary PATH --files DIR --compiler TEXT [counts|calls] [--update] [--only NAME]...
        """

    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            var isHeld = true
            if options.checksCounts { isHeld = try await InstructionGate(options).run() }
            if options.checksCalls { isHeld = try await CallGate(options).run() && isHeld }
            exit(isHeld ? 0 : 1)
        } catch {
            print("gate: \(error)")
            exit(2)
        }
    }
}

/// A problem that prevents the gate from judging.
struct GateError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
