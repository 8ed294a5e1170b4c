import ShaleCluster
import Testing

private struct Item: Codable, Sendable {
    var name: String
    var count: Int
}

private struct User: Codable, Sendable, Equatable {
    var name: String
}

@Suite struct ClusterSamples {
    @Test func codeForBothPlacesTakesAnyNamespace() async throws {
        let store = try Store.inMemory()
        let carts = EmbeddedNamespace(store.common["carts"], in: store)
        try await carts.set(Item(name: "tea", count: 2), forKey: "u1/tea")
        try await changes(of: carts)

        func total(of cart: String, in carts: some AsyncNamespace) async throws -> Int {
            var sum = 0
            for try await entry in carts.entries(prefix: cart + "/") { sum += try entry.value(as: Item.self).count }
            return sum
        }
        let local = EmbeddedNamespace(store.common["carts"], in: store)
        print(try await total(of: "u1", in: local), try await total(of: "u1", in: carts))
        #expect(try await total(of: "u1", in: local) == 1)
        try await store.close()
    }

    @Test func anUpdateDependsOnTheEntry() async throws {
        let store = try Store.inMemory()
        let users = EmbeddedNamespace(store.common["users"], in: store)
        try await users.set(User(name: "Ada"), forKey: "u1")
        try await rename("u1", to: "Grace", in: users)
        #expect(try await users.value(forKey: "u1") == User(name: "Grace"))
        try await store.close()
    }

    @Test func aNamespaceIsCopiedAndCompared() async throws {
        let store = try Store.inMemory()
        try store.common["carts"].set("tea", forKey: "u1/tea")
        let carts = EmbeddedNamespace(store.common["copies"], in: store)
        let snapshot = try store.snapshot()
        let local = EmbeddedNamespace(store.common["carts"], in: store)
        try await NamespaceCopy().copy(local.entries(at: snapshot), to: carts)
        let difference = try await NamespaceCopy.compare(local.entries(at: snapshot), with: carts.entries)
        print(difference.isEqual)
        #expect(difference.isEqual)
        try await store.close()
    }

    func rename(_ id: String, to name: String, in users: some AsyncNamespace) async throws {
        try await users.update(forKey: id) { (entry) throws(StorageError) in
            guard var user = try entry?.value(as: User.self) else { return .keep }
            user.name = name
            return try .set(user)
        }
    }

    private func changes(of carts: some AsyncNamespace) async throws {
        try await carts.write { (changes) throws(StorageError) in
            try changes.set(Item(name: "salt", count: 1), forKey: "u1/salt")
            try changes.remove("u1/tea")
        }
        for try await entry in carts.entries(prefix: "u1/") {
            print(entry.key, try entry.value(as: Item.self).count)
        }
    }

    #if RADOS
        /// Compiled only: it needs a cluster.
        func aNamespaceOnACluster() async throws {
            var connection = ClusterConnection(pool: "shale")
            connection.configuration = "/etc/ceph/ceph.conf"
            connection.user = "shale"
            let cluster = try await ClusterStore.open(connection)

            let layout = ClusterLayout(shards: 64, partitioning: .separator(UInt8(ascii: "/")))
            let carts = try await cluster.createNamespace("carts", layout: layout)
            try await carts.set(Item(name: "tea", count: 2), forKey: "u1/tea")
            let item = try await carts.value(forKey: "u1/tea", as: Item.self)
            print(item?.count ?? 0)
            await cluster.close()
        }
    #endif
}
