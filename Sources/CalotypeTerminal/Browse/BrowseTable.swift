import CalotypeDisplay
import Calotype

/// The cells of the table and their slots, as many as the window has room for. A cell whose image leaves the window is given
/// to an image that comes in, which cancels a load that was still under way.
struct BrowseTable {
  private let slots: ImageSlots<Int>
  private let requesting: Browser.Requesting
  /// The item of each cell that has one.
  private var items: [Int: Int] = [:]
  /// The errors of cells whose items have no request.
  private var problems: [Int: any Error] = [:]
  /// The items whose loads have failed.
  private(set) var failures: Set<Int> = []

  init(_ slots: ImageSlots<Int>, requesting: @escaping Browser.Requesting) {
    (self.slots, self.requesting) = (slots, requesting)
  }

  /// Assigns cells to the items in the window.
  ///
  /// - Parameters:
  ///   - visible: Items in the window; no more than there are cells.
  ///   - list: All items.
  ///   - capacity: How many cells there are.
  mutating func show(_ visible: Range<Int>, of list: [BrowseItem], capacity: Int) {
    for (cell, item) in items where !visible.contains(item) || item % capacity != cell {
      (items[cell], problems[cell]) = (nil, nil)
      slots[cell].showPlaceholder()
    }
    for item in visible where items[item % capacity] != item {
      let cell = item % capacity
      items[cell] = item
      do {
        slots[cell].load(try requesting(list[item]))
      } catch {
        problems[cell] = error
        failures.insert(item)
      }
    }
  }

  /// Returns the scene of each cell.
  mutating func scenes(of list: [BrowseItem], from first: Int, in layout: BrowseLayout) -> [Int: BrowseScene]
  {
    var scenes: [Int: BrowseScene] = [:]
    for (cell, item) in items {
      let state = slots[cell].state
      let error = problems[cell] ?? (state.phase == .failed ? state.error : nil)
      if error != nil { failures.insert(item) } else if state.phase == .succeeded { failures.remove(item) }
      let look: BrowseScene.Look =
        if let image = state.image {
          .picture(image.bitmap, version: state.contentVersion)
        } else if let error {
          .failure(error is CancellationError ? "cancelled" : "\(error)")
        } else {
          .waiting
        }
      scenes[cell] = BrowseScene(
        item: item, area: layout.area(item - first), look: look,
        caption: caption(item, list[item], state, layout.picture.columns))
    }
    return scenes
  }

  /// The number of cells that are loading.
  package var loading: Int { items.keys.count { slots[$0].state.phase == .loading } }

  /// `12 photo.jpg`, and how far it is.
  private func caption(
    _ item: Int, _ line: BrowseItem, _ state: ImageSlot.State, _ columns: Int
  ) -> String {
    var progress = ""
    if state.phase == .loading {
      if let fraction = state.progress.fraction {
        progress = " \(Int(fraction * 100)) %"
      } else if state.progress.received > 0 {
        progress = " \(Formatting.bytes(state.progress.received))"
      }
    } else if state.phase == .failed, state.image != nil {
      // A part of it is shown, and there will be no more.
      progress = " failed"
    }
    let number = "\(item + 1) "
    let room = max(0, columns - number.count - progress.count)
    return String((number + TerminalText.tail(of: line.name, cells: room).text + progress).prefix(columns))
  }
}
