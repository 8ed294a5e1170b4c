import Shale
import ShaleCollections
import ShaleEncryption
import ShaleEngine
import ShaleFoundation
import ShaleInspection
import ShaleKit
import ShaleMaintenance
import StubSwiftUI

/// Uses the names of SwiftUI unqualified in a file that imports every product of Shale.
enum BesideSwiftUI {
    static let names: [Any.Type] = [
        Alignment.self, Anchor.self, Angle.self, Animation.self, Axis.self, Bindable.self, Binding.self, Color.self,
        Divider.self, Edge.self, Entry.self, Environment.self, Font.self, Form.self, Gesture.self, Group.self,
        Image.self, Label.self, Layout.self, Link.self, List.self, Material.self, Menu.self, Namespace.self, Path.self,
        Picker.self, Query.self, Section.self, Selection.self, Settings.self, Spacer.self, State.self, Table.self,
        Text.self, Toggle.self, Transaction.self, Visibility.self, Window.self,
    ]
}
