import ArgumentParser
import Calotype

/// A quality: a number from 0 to 100, or a measure with its wanted value, such as `ssim2:70` or `dssim:0.01`.
enum QualityArgument: ExpressibleByArgument {
  case fixed(Int)
  case target(QualityTarget)
  /// A value of a measure that is beyond its range: the reason.
  case refused(String)

  init?(argument: String) {
    if let quality = Int(argument) {
      self = .fixed(quality)
      return
    }
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    // Plain decimal numbers: `Double` also reads hexadecimal ones.
    guard parts.count == 2, !parts[1].lowercased().contains("x"), let value = Double(parts[1]) else {
      return nil
    }
    switch parts[0] {
    case "ssim2" where value.isFinite && value > 0 && value <= 100:
      self = .target(.target(.ssimulacra2(value)))
    case "dssim" where value > 0 && value <= 1:
      self = .target(.target(.dssim(value)))
    case "ssim2": self = .refused("ssim2 is above 0 and at most 100, not \(parts[1])")
    case "dssim": self = .refused("dssim is above 0 and at most 1, not \(parts[1])")
    default: return nil
    }
  }

  /// Sets the quality of an encoder's options.
  func apply(to options: inout EncodeOptions) {
    switch self {
    case .fixed(let quality): options.quality = quality
    case .target(let target): options.qualityTarget = target
    case .refused: break
    }
  }
}
