import Shale
import ShaleBase
import ShaleCollections

extension FuzzTarget {
    /// Input: the document of a stored schema.
    static let storedSchema = FuzzTarget(
        "stored-schema", "schemas of collections: decoding, checks, the layout made of them",
        seeds: StoredSchemaTarget.seeds
    ) { input in
        let header = [ValueCodec.json.rawValue, 0]
        let decoded = try ValueTarget.outcome(header + input) { (span) throws(StorageError) in
            try EncodedValue.decode(StoredSchema.self, span)
        }
        guard let schema = decoded else { return }
        let again: StoredSchema
        do throws(StorageError) {
            again = try CollectionParsers.layout(schema)
        } catch {
            return try requireTyped(error, namesPosition: false)
        }
        try require(again.fields == schema.fields && again.key == schema.key, "a schema changes in its layout")
        try require(again.version == schema.version && again.name == schema.name, "a schema changes in its layout")
        try require(
            again.indexes.map(\.columns) == schema.indexes.map(\.columns)
                && again.indexes.map(\.isUnique) == schema.indexes.map(\.isUnique), "an index changes in its layout")
        try require((try? CollectionParsers.layout(again)) == again, "a layout's own schema is refused")
    }
}

private enum StoredSchemaTarget {
    static func seeds() throws -> [[UInt8]] {
        let fields =
            #"{"name":"a","kind":10001,"constraint":20002,"isNullable":false},"#
            + #"{"name":"é","kind":10002,"constraint":20003,"isNullable":true}"#
        let index =
            #"{"id":3,"name":"i","columns":[{"field":"é","isDescending":true},"#
            + #"{"field":"a","isDescending":false}],"isUnique":false,"isReady":true,"born":7}"#
        let tail = #""nextIndex":4,"isMigrating":false,"hadPolicy":true}"#
        return [
            #"{"format":1,"name":"n","version":1,"key":"a","fields":[\#(fields)],"indexes":[\#(index)],\#(tail)"#,
            #"{"format":1,"name":"n","version":4294967295,"fields":[\#(fields)],"indexes":[],\#(tail)"#,
            #"{"format":2,"name":"n","version":1,"fields":[],"indexes":[],\#(tail)"#, "{}", "[]",
        ].map { Array($0.utf8) }
    }
}
