import Calotype

/// The position in an animation, and the steps from there. Pure.
struct PlaybackPath: Hashable, Sendable {
  var index: Int
  var isBackward: Bool
  var loop = 0

  /// The step after a frame.
  enum Step: Hashable {
    case frame(PlaybackPath)
    /// The next frame has not arrived yet.
    case stall
    case end
  }

  /// The rules for the order of frames.
  struct Rules: Hashable {
    var mode: PlaybackMode
    /// The number of available frames.
    var count: Int
    /// Whether all frames have arrived.
    var isComplete: Bool
    /// The number of loops; `nil` for ever.
    var loops: Int?
  }

  /// Creates the position of the first frame of a loop; returns `nil` while that has not arrived.
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
      // Reversal requires the last frame to be known; on the way back there are no frames to wait for.
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

  /// Returns all frames, each once, in the order in which they are shown from this one on, without the turns of
  /// a bounce.
  func everyFrame(count: Int) -> [Upcoming] {
    guard count > 0 else { return [] }
    let index = max(0, min(index, count - 1))
    let order =
      isBackward
      ? Array((0...index).reversed()) + (index + 1..<count).reversed() : Array(index..<count) + (0..<index)
    return order.map { Upcoming(index: $0, isBackward: isBackward) }
  }

  /// The number of frames looked ahead in decoding order.
  static let lookahead = 8

  /// Returns the frames from this one on that are worth decoding, each once, in the order in which they are
  /// shown.
  ///
  /// Forwards, a few are enough, because each costs one decode. Backwards, a frame requires decoding those
  /// before it, so all frames that fit are returned.
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
