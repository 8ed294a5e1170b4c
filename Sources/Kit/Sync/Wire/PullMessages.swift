import Shale
package import ShaleBase

/// A question for the changes since the client's cursors.
package struct PullRequest: Sendable, Hashable {
    package struct Collection: Sendable, Hashable {
        package var name: String
        /// The server's text for how far the client has read; `nil` to begin.
        package var cursor: String?

        package init(name: String, cursor: String?) {
            self.name = name
            self.cursor = cursor
        }
    }

    package var client: String
    package var collections: [Collection]

    package init(client: String, collections: [Collection]) {
        self.client = client
        self.collections = collections
    }

    package var encoded: [UInt8] {
        JSONWriter.object { json in
            json.member("client", client)
            json.name("collections")
            json.array(of: collections) { (collection, json) in
                json.member("name", collection.name)
                if let cursor = collection.cursor { json.member("cursor", cursor) }
            }
        }
    }

    /// Parses a request, which anybody may have sent.
    ///
    /// - Throws: `.corruption` if it breaks the protocol or its limits.
    package init(_ body: [UInt8]) throws(StorageError) {
        var json = try JSONReader(body)
        self.init(client: "", collections: [])
        var hasCollections = false
        try json.object { (name, json) throws(StorageError) in
            switch name {
            case "client": client = try json.identifier()
            case "collections":
                hasCollections = true
                try json.array { (json) throws(StorageError) in
                    guard collections.count < SyncLimits.collections else {
                        throw .corruption("a pull has too many collections")
                    }
                    collections.append(try Collection(&json))
                }
            default: try json.skip()
            }
        }
        guard !client.isEmpty, hasCollections else { throw .corruption("a pull lacks its client or collections") }
    }
}

extension PullRequest.Collection {
    fileprivate init(_ json: inout JSONReader) throws(StorageError) {
        self.init(name: "", cursor: nil)
        try json.object { (name, json) throws(StorageError) in
            switch name {
            case "name": self.name = try json.collectionName()
            case "cursor": cursor = try json.null() ? nil : try json.identifier()
            default: try json.skip()
            }
        }
        guard !name.isEmpty else { throw .corruption("a pull has a collection without a name") }
    }
}

/// A page of changes.
package struct PullReply: Sendable, Hashable {
    package struct Change: Sendable, Hashable {
        package var key: [UInt8]
        package var version: SyncVersion

        package init(key: [UInt8], version: SyncVersion) {
            self.key = key
            self.version = version
        }
    }

    package struct Collection: Sendable, Hashable {
        package var name: String
        /// The cursor behind the changes; `nil` if the client's is forgotten.
        package var cursor: String?
        /// True if more changes follow.
        package var hasMore: Bool
        package var changes: [Change]

        package init(name: String, cursor: String?, hasMore: Bool, changes: [Change]) {
            self.name = name
            self.cursor = cursor
            self.hasMore = hasMore
            self.changes = changes
        }
    }

    /// The server's clock.
    package var time: Int64
    /// A text that stays as long as revisions do.
    package var epoch: String
    /// In the order of the request. Those for which the page had no room are missing.
    package var collections: [Collection]

    package init(time: Int64, epoch: String, collections: [Collection]) {
        self.time = time
        self.epoch = epoch
        self.collections = collections
    }

    package var encoded: [UInt8] {
        JSONWriter.object { json in
            json.member("time", time)
            json.member("epoch", epoch)
            json.name("collections")
            json.array(of: collections) { (collection, json) in
                json.member("name", collection.name)
                if let cursor = collection.cursor { json.member("cursor", cursor) }
                json.member("more", collection.hasMore)
                json.name("changes")
                json.array(of: collection.changes) { (change, json) in
                    json.member("key", Hexadecimal.text(change.key))
                    json.versionMembers(change.version)
                }
            }
        }
    }

    package init(_ body: [UInt8]) throws(StorageError) {
        var json = try JSONReader(body)
        self.init(time: -1, epoch: "", collections: [])
        try json.object { (name, json) throws(StorageError) in
            switch name {
            case "time": time = try json.number()
            case "epoch": epoch = try json.identifier()
            case "collections":
                try json.array { (json) throws(StorageError) in collections.append(try Collection(&json)) }
            default: try json.skip()
            }
        }
        guard time >= 0, !epoch.isEmpty else { throw .corruption("a page lacks its time or epoch") }
    }
}

extension PullReply.Collection {
    fileprivate init(_ json: inout JSONReader) throws(StorageError) {
        self.init(name: "", cursor: nil, hasMore: false, changes: [])
        var (hasChanges, hasEnd) = (false, false)
        try json.object { (name, json) throws(StorageError) in
            switch name {
            case "name": self.name = try json.collectionName()
            case "cursor": cursor = try json.identifier()
            case "more":
                hasMore = try json.bool()
                hasEnd = true
            case "changes":
                hasChanges = true
                try json.array { (json) throws(StorageError) in changes.append(try PullReply.Change(&json)) }
            default: try json.skip()
            }
        }
        // A cursor without its changes would pass them over.
        guard hasChanges, hasEnd else { throw .corruption("a page lacks its changes, or says not whether more follow") }
    }
}

extension PullReply.Change {
    fileprivate init(_ json: inout JSONReader) throws(StorageError) {
        self.init(key: [], version: .missing)
        var hasDocument = false
        try json.object { (name, json) throws(StorageError) in
            if name == "key" { key = try json.recordKey() } else { try version.read(name, &json, &hasDocument) }
        }
        guard !key.isEmpty, version.revision > 0, hasDocument else {
            throw .corruption("a change lacks its key, revision or document")
        }
    }
}
