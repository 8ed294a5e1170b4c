import Shale
import ShaleCollections
import ShaleEncryption
import ShaleEngine
import ShaleFoundation
import ShaleInspection
import ShaleKit
import ShaleMaintenance
import StubConfiguration

/// Uses the names of swift-configuration unqualified in a file that imports every product of Shale.
enum BesideConfiguration {
    static let names: [Any.Type] = [
        AccessEvent.self, AccessLogger.self, AccessReporter.self, ConfigContent.self, ConfigKey.self,
        ConfigProvider.self, ConfigReader.self, ConfigSnapshot.self, ConfigType.self, ConfigValue.self,
        Configuration.self, MultiProvider.self,
    ]
}
