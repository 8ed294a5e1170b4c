#if RADOS
    import Foundation
    import ShaleCluster

    /// The client that is killed: writers that do their operations one after the other, and report in a pipe before and
    /// after each one.
    struct ScriptedClient {
        let namespace: ClusterNamespace
        let script: ClientScript

        /// Runs writers from the operation with the number in `first` on. Returns only by an error.
        func run(first: [Int]) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (writer, first) in first.enumerated() {
                    group.addTask {
                        var number = first
                        while true {
                            try Report(kind: .begun, writer: writer, number: number).send()
                            try await run(script.operation(number, of: writer), of: writer)
                            try Report(kind: .done, writer: writer, number: number).send()
                            number += 1
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        private func run(_ operation: ClientScript.Operation, of writer: Int) async throws {
            switch operation {
            case .write(let changes):
                try await namespace.write { (batch) throws(StorageError) in
                    for (key, value) in changes {
                        try batch.set(value?.bytes, forKey: key, options: value?.options ?? [])
                    }
                }
            case .count:
                try await namespace.update(forKey: ClientScript.counter(writer)) { (entry) throws(StorageError) in
                    try .set((try entry?.value(as: Int.self) ?? 0) + 1)
                }
            }
        }
    }

    extension ClientScript.Value {
        var options: ValueOptions {
            [
                isPurgeable ? .purgeable : .notPurgeable,
                expires ? .expires(after: .milliseconds(ClientScript.lifetimeMilliseconds)) : .neverExpires,
            ]
        }
    }
#endif
