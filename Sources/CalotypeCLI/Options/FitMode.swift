import ArgumentParser
import Calotype

/// `--fit`, `--fill` and `--stretch`.
enum FitMode: String, EnumerableFlag {
  case fit
  case fill
  case stretch

  var value: Thumbnail.Mode {
    switch self {
    case .fit: .fit
    case .fill: .fill
    case .stretch: .stretch
    }
  }

  static func help(for value: FitMode) -> ArgumentHelp? {
    switch value {
    case .fit: "Within the box, proportions kept."
    case .fill: "Fill the box, proportions kept, what sticks out cut off."
    case .stretch: "Exactly the box, proportions changed."
    }
  }
}
