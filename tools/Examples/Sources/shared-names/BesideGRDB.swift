import Shale
import ShaleCollections
import ShaleEncryption
import ShaleEngine
import ShaleFoundation
import ShaleInspection
import ShaleKit
import ShaleMaintenance
import StubGRDB

/// Uses the names of GRDB unqualified in a file that imports every product of Shale.
enum BesideGRDB {
    static let names: [Any.Type] = [
        Association.self, Column.self, Configuration.self, Cursor.self, Database.self, DatabaseError.self,
        DatabaseMigrator.self, DatabasePool.self, DatabaseQueue.self, DatabaseSnapshot.self, DatabaseValue.self,
        Index.self, Inflections.self, Record.self, Row.self, SQL.self, Statement.self, TableAlias.self,
        ValueObservation.self,
    ]
}
