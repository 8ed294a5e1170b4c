import Foundation
import TestSupport

/// Kills clients of a cluster at random moments, while OSDs hang, are slow or are killed and the monitor is cut off,
/// and checks what the clients leave: no acknowledged write is lost, no batch is there in part, nothing that expired or
/// was purged comes back, and removal passes find every object that a dead client left.
@main
enum ClusterTrial {
    static let usage = """
        usage: cluster-trial [--kills N] [--seconds N] [--seed N]

        Ends after N kills or N seconds, whichever comes first. Without either option the ring sets the number of
        kills. Needs the cluster of `tools/cluster up --network`, which SHALE_CLUSTER_CONFIGURATION names.
        """

    static func main() async {
        do {
            #if RADOS
                let words = Array(CommandLine.arguments.dropFirst())
                if words.first == "child" {
                    try await KillTrial.runChild(words)
                } else {
                    try await KillTrial.run(try TrialArguments(words))
                }
            #else
                throw TrialFailure("cluster-trial was built without the trait RADOS")
            #endif
        } catch {
            FileHandle.standardError.write(Data("cluster-trial: \(error)\n".utf8))
            exit(1)
        }
    }
}

struct TrialFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The command line.
struct TrialArguments {
    var kills = Ring.choose(commit: 12, nightly: 500, release: 500)
    var seconds = Int.max / 2
    var seed = Ring.seed

    init(_ words: [String]) throws {
        var rest = words[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw TrialFailure(ClusterTrial.usage) }
            switch option {
            case "--kills": kills = try TrialArguments.number(value)
            case "--seconds": seconds = try TrialArguments.number(value)
            case "--seed": seed = try TrialArguments.number(value)
            default: throw TrialFailure(ClusterTrial.usage)
            }
        }
    }

    private static func number<Number: FixedWidthInteger>(_ text: String) throws -> Number {
        guard let number = Number(text) else { throw TrialFailure(ClusterTrial.usage) }
        return number
    }
}
