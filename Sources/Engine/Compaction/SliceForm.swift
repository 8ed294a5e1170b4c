import ShaleBase
import ShaleSegment

/// The form that a job gives to a namespace's blocks, if blocks are split.
enum SliceForm {
    /// Not split; with a dictionary, if one saves enough.
    case whole(BlockDictionary?)
    /// Split, with pages that are compressed as a whole or not at all.
    case pages
    /// Split, with values under a code.
    case code(SliceCode)

    var isSplit: Bool { if case .whole = self { false } else { true } }
}

extension DictionaryPlan {
    func form(of namespace: NamespaceID, _ parts: [Part]) throws(StorageError) -> SliceForm {
        let known = try largestCode(of: namespace, parts)
        let preference = ValuePreference(options.lastCodec)
        let isPermitted = known.map { preference.permits($0.code, orPrefixCodes: options.splitsAll) } ?? false
        if job.kind == .rewrite, isPermitted || !options.copiesOnlySameLevel,
            let kept = try keptForm(known, namespace, parts)
        {
            return kept
        }
        guard dataBytes(parts) >= options.dictionaryDataBytesMin else {
            // Small pages without a value code take more space, and more time in a scan.
            return options.splitsAll ? .pages : .whole(nil)
        }
        var trainer = SliceCodeTrainer()
        var charge = BufferCharge(options.budget)
        sample(parts) { (block, segment, isTest) throws(StorageError) in
            try trainer.add(block, of: segment, asTest: isTest)
        }
        charge.set(trainer.memoryBytes)
        // Large values have pages of their own.
        guard !trainer.isEmpty else { return .pages }
        if let known, isPermitted, options.trainsDictionaries || known.code.dictionary.isEmpty,
            trainer.savedShare(known.code) * 5 >= known.savedShare * 4
        {
            return .code(known)
        }
        if options.splitsAll {
            let code = trainer.train(preference, triesDictionary: options.trainsDictionaries)
            return code.map { .code($0) } ?? .pages
        }
        return try worthwhileForm(trainer, preference, namespace, parts)
    }

    /// Returns the form that a rewrite keeps, so that it copies the blocks that it leaves unchanged; `nil` if the
    /// segment's blocks were written under another option.
    private func keptForm(
        _ known: SliceCode?, _ namespace: NamespaceID, _ parts: [Part]
    ) throws(StorageError) -> SliceForm? {
        if let known { return .code(known) }
        guard let part = parts.first, let record = try part.segment.compression(), record.splitsBlocks,
            record.soughtDictionaries
        else { return nil }
        if try part.segment.indexRow(Int(part.slice.firstBlock)).isSplit { return .pages }
        return .whole(try part.segment.blockDictionary(of: namespace))
    }

    /// Returns the split form if that costs little: plain values, which are read faster than whole blocks in every way,
    /// and take at most a quarter more space. A writer that prefers small values takes prefix codes too, for an eighth.
    private func worthwhileForm(
        _ trainer: borrowing SliceCodeTrainer, _ preference: ValuePreference, _ namespace: NamespaceID, _ parts: [Part]
    ) throws(StorageError) -> SliceForm {
        let dictionary = isWorthwhile ? try dictionary(of: namespace, parts) : nil
        let blockBytes = trainer.blockBytes(options.lastCodec)
        let dictionaryBytes = blockBytes * Int(dictionary?.savedShare ?? 0) / 1000
        let code = trainer.train(
            preference == .balanced ? .fast : preference, triesDictionary: options.trainsDictionaries,
            bytesMax: preference.codedBytesMax(blockBytes - dictionaryBytes))
        if let code { return .code(code) }
        // Where nothing saves an eighth, pages are stored as they are.
        return trainer.savesEnough(blockBytes) ? .whole(dictionary) : .pages
    }

    /// Returns the value code of the largest slice that has one.
    private func largestCode(of namespace: NamespaceID, _ parts: [Part]) throws(StorageError) -> SliceCode? {
        let users = parts.filter { $0.segment.metadata.features.contains(.valueCodes) }
            .sorted { $1.slice.dataBytes < $0.slice.dataBytes }
        for user in users {
            if let slice = try user.segment.sliceCode(of: namespace) { return slice }
        }
        return nil
    }
}
