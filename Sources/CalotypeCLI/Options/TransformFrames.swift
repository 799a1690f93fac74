import ArgumentParser
import Calotype

/// The values of `--transform-frames`.
enum TransformFrames: String, ExpressibleByArgument, CaseIterable {
  case every
  case first
  case none

  var value: DecodeOptions.AnimationTransforms {
    switch self {
    case .every: .everyFrame
    case .first: .firstFrame
    case .none: .none
    }
  }
}
