import Calotype

/// The number of loops of an animation.
public enum LoopPolicy: Hashable, Sendable {
  /// The number in the file. A GIF without such a block is played once.
  case fromFile
  /// This number of loops; at least one.
  case count(Int)
  /// Loops until the player is stopped.
  case forever

  /// Returns the number of loops for a file with `loopCount`, where 0 means for ever; `nil` for ever.
  func loops(of loopCount: Int) -> Int? {
    switch self {
    case .fromFile: loopCount <= 0 ? nil : loopCount
    case .count(let count): max(1, count)
    case .forever: nil
    }
  }
}
