import Calotype

/// Where an animation stands, and what comes next. Pure.
struct PlaybackPath: Hashable, Sendable {
  var index: Int
  var isBackward: Bool
  var loop = 0

  /// The step after a frame.
  enum Step: Hashable {
    case frame(PlaybackPath)
    /// Frames that have not arrived.
    case stall
    case end
  }

  /// The rules of the way.
  struct Rules: Hashable {
    var mode: PlaybackMode
    /// Frames that there are.
    var count: Int
    /// Whether there will be no more.
    var isComplete: Bool
    /// `nil` for ever.
    var loops: Int?
  }

  /// The first frame of a loop; `nil` while that has not arrived.
  init?(rules: Rules, loop: Int = 0) {
    guard rules.count > 0, !rules.mode.beginsAtEnd || rules.isComplete else { return nil }
    index = rules.mode.beginsAtEnd ? rules.count - 1 : 0
    isBackward = rules.mode.beginsAtEnd
    self.loop = loop
  }

  init(index: Int, isBackward: Bool, loop: Int) {
    self.index = index
    self.isBackward = isBackward
    self.loop = loop
  }

  func next(_ rules: Rules) -> Step {
    let last = rules.count - 1
    switch rules.mode {
    case .normal:
      if index < last { return go(to: index + 1, backward: false) }
    case .reverse:
      if index > 0 { return go(to: index - 1, backward: true) }
    case .bounce:
      if index < last, !isBackward || index == 0 { return go(to: index + 1, backward: false) }
      // Only who knows the last frame can turn round; on the way back there is nothing to wait for.
      guard rules.isComplete || isBackward else { return .stall }
      if index > 1 { return go(to: index - 1, backward: true) }
      return repeated(rules)
    case .reversedBounce:
      let isAtEnd = index >= last && rules.isComplete
      if index > 0, isBackward || isAtEnd { return go(to: index - 1, backward: true) }
      if index + 1 < last || (index < last && !rules.isComplete) { return go(to: index + 1, backward: false) }
    }
    return repeated(rules)
  }

  private func go(to index: Int, backward: Bool) -> Step {
    .frame(PlaybackPath(index: index, isBackward: backward, loop: loop))
  }

  private func repeated(_ rules: Rules) -> Step {
    guard rules.isComplete || (rules.mode == .bounce && isBackward) else { return .stall }
    // A seek may go to any loop.
    let next = loop == .max ? loop : loop + 1
    if let loops = rules.loops, next >= loops { return .end }
    guard rules.mode == .bounce else {
      return PlaybackPath(rules: rules, loop: next).map { .frame($0) } ?? .stall
    }
    return .frame(PlaybackPath(index: 0, isBackward: false, loop: next))
  }

  /// A frame that will be shown.
  struct Upcoming: Hashable {
    var index: Int
    /// Whether it comes after the one behind it.
    var isBackward: Bool
  }

  /// How many frames are looked ahead where they come in the order in which they are decoded.
  static let lookahead = 8

  /// The frames from this one on, each once, in the order in which they are shown: as many as are good to have.
  ///
  /// Forwards a few are enough, each of which costs one. Backwards they are had by decoding those before them, so all
  /// that there is room for are.
  func upcoming(_ rules: Rules, limit: Int) -> [Upcoming] {
    var path = self
    var seen: Set<Int> = []
    var frames: [Upcoming] = []
    var limit = min(limit, rules.count)
    var mayBeFew = true
    for step in 0..<2 * max(1, rules.count) {
      if step < Self.lookahead, path.isBackward { mayBeFew = false }
      if step == Self.lookahead, mayBeFew { limit = min(limit, Self.lookahead) }
      guard frames.count < limit else { break }
      if seen.insert(path.index).inserted {
        frames.append(Upcoming(index: path.index, isBackward: path.isBackward))
      }
      guard case .frame(let next) = path.next(rules) else { break }
      path = next
    }
    return frames.count > limit ? Array(frames.prefix(limit)) : frames
  }
}
