import Shale
package import ShaleBase

/// A batch of changes on its way to the server.
package struct PushRequest: Sendable, Hashable {
    /// One change of a record.
    package struct Change: Sendable, Hashable {
        package var address: SyncAddress
        /// The revision that the change was made on; 0 if the client knew none.
        package var base: Int64
        /// The time of the change. The client is that of the request.
        package var time: Int64
        package var count: UInt32
        /// `nil` deletes the record.
        package var document: [UInt8]?
        /// True if the document is too large to be sent. The server refuses the change and tells its own version.
        package var isTooLarge = false

        package init(address: SyncAddress, base: Int64, time: Int64, count: UInt32, document: [UInt8]?) {
            self.address = address
            self.base = base
            self.time = time
            self.count = count
            self.document = document
        }
    }

    package var client: String
    package var epoch: String
    /// The number of the batch: one more than that of the client's last one.
    package var number: Int64
    /// A random text that only this batch has. A repeated number with another text is another batch.
    package var nonce: String
    package var changes: [Change]

    package init(client: String, epoch: String, number: Int64, nonce: String, changes: [Change]) {
        self.client = client
        self.epoch = epoch
        self.number = number
        self.nonce = nonce
        self.changes = changes
    }

    package var encoded: [UInt8] {
        JSONWriter.object { json in
            json.member("client", client)
            json.member("epoch", epoch)
            json.member("number", number)
            json.member("nonce", nonce)
            json.name("changes")
            json.array(of: changes) { (change, json) in
                json.member("collection", change.address.collection)
                json.member("key", Hexadecimal.text(change.address.key))
                json.member("base", change.base)
                json.member("time", change.time)
                json.member("count", Int64(change.count))
                if change.isTooLarge { json.member("tooLarge", true) }
                json.name("document")
                json.raw(change.document)
            }
        }
    }

    /// Parses a request, which anybody may have sent.
    ///
    /// - Throws: `.corruption` if it breaks the protocol or its limits.
    package init(_ body: [UInt8]) throws(StorageError) {
        var json = try JSONReader(body)
        self.init(client: "", epoch: "", number: 0, nonce: "", changes: [])
        var hasChanges = false
        try json.object { (name, json) throws(StorageError) in
            switch name {
            case "client": client = try json.identifier()
            case "epoch": epoch = try json.identifier()
            case "number": number = try json.number()
            case "nonce": nonce = try json.identifier()
            case "changes":
                hasChanges = true
                try json.array { (json) throws(StorageError) in
                    guard changes.count < SyncLimits.changes else { throw .corruption("a batch has too many changes") }
                    changes.append(try Change(&json))
                }
            default: try json.skip()
            }
        }
        guard !client.isEmpty, !epoch.isEmpty, number > 0, !nonce.isEmpty, hasChanges else {
            throw .corruption("a batch lacks its client, epoch, number, nonce or changes")
        }
    }
}

extension PushRequest.Change {
    fileprivate init(_ json: inout JSONReader) throws(StorageError) {
        var collection = ""
        var key: [UInt8] = []
        // A member that is missing is never taken for a value: without its document, a change would be a deletion.
        var found = 0
        self.init(address: SyncAddress("", []), base: 0, time: 0, count: 0, document: nil)
        try json.object { (name, json) throws(StorageError) in
            switch name {
            case "collection": collection = try json.collectionName()
            case "key": key = try json.recordKey()
            case "base":
                base = try json.number()
                found |= 1
            case "time":
                time = try json.integer()
                found |= 2
            case "count":
                count = UInt32(clamping: try json.number())
                found |= 4
            case "document":
                document = try json.null() ? nil : try json.raw()
                found |= 8
            case "tooLarge": isTooLarge = try json.bool()
            default: try json.skip()
            }
        }
        guard !collection.isEmpty, !key.isEmpty, found == 15 else {
            throw .corruption("a change lacks its collection, key, base, time, count or document")
        }
        address = SyncAddress(collection, key)
    }
}

/// The outcome of a change.
package enum PushOutcome: Sendable, Hashable {
    /// The change is the record's version with this revision.
    case applied(Int64)
    /// The record has another version than the one that the change was made on.
    case conflict(SyncVersion)
    /// The server does not take the change, and has this version.
    case refused(String, SyncVersion)
    /// The reply is full. The change was not looked at.
    case postponed
}

/// The reply to a batch.
package struct PushReply: Sendable, Hashable {
    /// The server's clock.
    package var time: Int64
    /// One outcome for each change, in the order of the batch.
    package var outcomes: [PushOutcome]

    package init(time: Int64, outcomes: [PushOutcome]) {
        self.time = time
        self.outcomes = outcomes
    }

    package var encoded: [UInt8] {
        JSONWriter.object { json in
            json.member("time", time)
            json.name("results")
            json.array(of: outcomes) { (outcome, json) in
                switch outcome {
                case .applied(let revision): json.member("revision", revision)
                case .conflict(let version): json.member("conflict", version)
                case .refused(let reason, let version):
                    json.member("refused", reason)
                    json.member("conflict", version)
                case .postponed: json.member("postponed", true)
                }
            }
        }
    }

    package init(_ body: [UInt8]) throws(StorageError) {
        var json = try JSONReader(body)
        self.init(time: -1, outcomes: [])
        try json.object { (name, json) throws(StorageError) in
            switch name {
            case "time": time = try json.number()
            case "results":
                try json.array { (json) throws(StorageError) in outcomes.append(try PushOutcome(&json)) }
            default: try json.skip()
            }
        }
        guard time >= 0 else { throw .corruption("a reply lacks its time") }
    }
}

extension PushOutcome {
    fileprivate init(_ json: inout JSONReader) throws(StorageError) {
        var revision: Int64?
        var version: SyncVersion?
        var reason: String?
        var isPostponed = false
        try json.object { (name, json) throws(StorageError) in
            switch name {
            case "revision": revision = try json.number()
            case "conflict": version = try json.version()
            case "refused": reason = try json.string()
            case "postponed": isPostponed = try json.bool()
            default: try json.skip()
            }
        }
        switch (revision, version, reason, isPostponed) {
        case (let revision?, nil, nil, false): self = .applied(revision)
        case (nil, let version?, nil, false): self = .conflict(version)
        case (nil, let version?, let reason?, false): self = .refused(reason, version)
        case (nil, nil, nil, true): self = .postponed
        default: throw .corruption("an outcome of a change is none that the protocol has")
        }
    }
}
