import ShaleMaintenance

extension Progress {
    func update(_ step: MaintenanceProgress) {
        update(
            fraction: step.fraction, "\(Figures.bytes(step.bytes)), \(Figures.byteRate(step.bytes, elapsed))")
    }

    /// Shows the progress of work that makes something. Throws once ^C was pressed.
    func updateMaking(_ step: MaintenanceProgress) throws(StorageError) {
        try Interruption.checkMaking()
        update(step)
    }
}
