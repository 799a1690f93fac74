/// What keys ask for.
enum Key: Hashable, Sendable {
  case up, down, pageUp, pageDown, home, end, repaint, quit
}
