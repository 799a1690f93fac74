/// A command of a key.
enum Key: Hashable, Sendable {
  case up, down, pageUp, pageDown, home, end, repaint, quit
}
