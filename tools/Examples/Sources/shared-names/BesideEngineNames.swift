import Shale
import ShaleEncryption
import ShaleFoundation
import ShaleInspection
import ShaleKit
import ShaleMaintenance
import StubEngineNames

/// Uses names of the raw engine unqualified in a file that imports every product of Shale except ShaleEngine. A product
/// that exported the engine as a whole would make them ambiguous.
enum BesideEngineNames {
    static let names: [Any.Type] = [
        CompactionEstimate.self, CompactionEvent.self, CompactionProgress.self, CompactionReport.self,
        CompactionScope.self, EntryInfo.self, EntrySequence.self, LevelStatistics.self, ManualCompactionOptions.self,
        NamespaceDescription.self, PutOptions.self, ScanOrder.self, StallStatistics.self, VerificationReport.self,
        WriteBatch.self,
    ]
}
