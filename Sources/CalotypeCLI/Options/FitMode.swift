import ArgumentParser
import Calotype

/// The flags `--fit`, `--fill` and `--stretch`.
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
    case .fit: "Fit within the box, keeping proportions."
    case .fill: "Fill the box, keeping proportions; the rest is cropped."
    case .stretch: "Stretch to the box, changing proportions."
    }
  }
}
