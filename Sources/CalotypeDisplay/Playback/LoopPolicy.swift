import Calotype

/// How often an animation is played.
public enum LoopPolicy: Hashable, Sendable {
  /// As often as the file says. A GIF without such a block is played once.
  case fromFile
  /// So many times; at least once.
  case count(Int)
  /// Plays until it is stopped.
  case forever

  /// The number of loops for a file that says `loopCount`, where 0 is for ever; `nil` for ever.
  func loops(of loopCount: Int) -> Int? {
    switch self {
    case .fromFile: loopCount <= 0 ? nil : loopCount
    case .count(let count): max(1, count)
    case .forever: nil
    }
  }
}
