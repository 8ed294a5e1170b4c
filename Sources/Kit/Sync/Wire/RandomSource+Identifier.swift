import Shale
package import ShalePlatform

extension RandomSource {
    /// Returns 128 random bits as text: the id of a client, a nonce or an epoch.
    package func identifier() -> String { Hexadecimal.text([UInt8](bigEndian: next()) + [UInt8](bigEndian: next())) }
}
