/// The part of a list that is in the window.
struct BrowseScroll: Hashable, Sendable {
  /// Images in the list, so far.
  private(set) var count = 0
  /// Pictures side by side, and one below the other.
  private(set) var across = 1
  private(set) var down = 1
  /// The first row of pictures in the window.
  private(set) var top = 0
  /// Whether it went up the last time.
  private(set) var isGoingUp = false

  /// The images in the window.
  var visible: Range<Int> {
    let first = min(top * across, count)
    return first..<min(first + across * down, count)
  }

  /// Images that come next if it goes on as before, the nearest first.
  ///
  /// - Parameter pages: How many windows full.
  func ahead(pages: Int) -> [Int] {
    let length = pages * across * down
    let visible = visible
    return isGoingUp
      ? Array((max(0, visible.lowerBound - length)..<visible.lowerBound).reversed())
      : Array(visible.upperBound..<min(count, visible.upperBound + length))
  }

  /// The list has so many images now.
  mutating func grow(to count: Int) { self.count = count }

  /// The window has another size: the first image in it stays there.
  mutating func fit(across: Int, down: Int) {
    let first = top * self.across
    (self.across, self.down) = (across, down)
    top = min(first / across, last)
  }

  /// Does what a key asks for, as far as there are images.
  mutating func go(_ key: Key) {
    let before = top
    switch key {
    case .up: top -= 1
    case .down: top += 1
    case .pageUp: top -= down
    case .pageDown: top += down
    case .home: top = 0
    case .end: top = last
    case .quit, .repaint: return
    }
    top = max(0, min(top, last))
    if top != before { isGoingUp = top < before }
  }

  /// The row that is first when the end of the list is in the window.
  private var last: Int { max(0, (count + across - 1) / across - down) }
}
