import ShaleMaintenance

extension Progress {
    func update(_ step: MaintenanceProgress) {
        update(
            fraction: step.fraction, "\(Figures.bytes(step.bytes)), \(Figures.byteRate(step.bytes, elapsed))")
    }

    /// The same for work that makes something, which ^C ends.
    func updateMaking(_ step: MaintenanceProgress) throws(StorageError) {
        try Interruption.checkMaking()
        update(step)
    }
}
