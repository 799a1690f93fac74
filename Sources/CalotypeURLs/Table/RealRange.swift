/// The numbers that an argument can be. All are finite.
enum RealRange {
  case any
  case notNegative
  case positive
  /// 0 to 1.
  case share

  func contains(_ value: Double) -> Bool {
    switch self {
    case .any: value.isFinite
    case .notNegative: value.isFinite && value >= 0
    case .positive: value.isFinite && value > 0
    case .share: value >= 0 && value <= 1
    }
  }

  var expectation: String {
    switch self {
    case .any: "a number"
    case .notNegative: "a number from 0"
    case .positive: "a number greater than 0"
    case .share: "a number from 0 to 1"
    }
  }
}
