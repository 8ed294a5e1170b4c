// Compiled only where SwiftUI and Combine exist. Elsewhere `tools/adapters` compiles this file against stubs of both.
#if canImport(SwiftUI) && canImport(Combine)
    import Combine
    import ShaleKit
    import SwiftUI

    struct VolumeView: View {
        @StoredState(.volume, in: App.settings) private var volume

        var body: some View { Slider(value: $volume, in: 0...1) }
    }

    struct LettersView: View {
        @StoredEntries(prefix: "2026-", in: App.store.currentUserNamespace("letters"), as: String.self)
        private var letters

        var body: some View { List(letters) { letter in Text(letter.value) } }
    }

    func printVolumes() -> AnyCancellable {
        App.settings.publisher(for: .volume)
            .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    }
#endif
