import Glibc

/// A quality as people see it, for which an encoder's quality is searched: pictures that are easy to encode become smaller than
/// at a fixed quality, and difficult ones keep their quality.
///
///     let data = try image.encoded(as: .jpeg(quality: .target(.ssimulacra2(70))))
///
/// A search takes at most three encodes, each decoded and compared with the picture. In PNG with a palette
/// (``EncodeOptions/usesPalette``), it is for the number of colours.
public struct QualityTarget: Hashable, Sendable, Codable {
  /// A measure, and its wanted value.
  public enum Measure: Hashable, Sendable, Codable {
    /// The score of SSIMULACRA2: 90 for differences that nobody sees side by side, 70 for high, 50 for medium quality. See
    /// ``ImageQuality/ssimulacra2(of:)``.
    case ssimulacra2(Double)
    /// The structural dissimilarity of luma, such as 0.01, which is lower for better pictures. See ``ImageQuality/dssim(of:)``.
    case dssim(Double)

    /// The wanted value.
    var value: Double {
      switch self {
      case .ssimulacra2(let value), .dssim(let value): value
      }
    }

    /// Returns what is searched for, more of which is better: the score, or the negative logarithm of a dissimilarity.
    func level(of measured: Double) -> Double {
      switch self {
      case .ssimulacra2: measured
      case .dssim: -log(max(measured, 1e-9))
      }
    }
  }

  /// The measure and its wanted value.
  public var measure: Measure
  /// The accepted difference from the wanted value, in units of the measure: a picture within 0.8 of it ends the search. A worse
  /// picture is delivered only if none of those that were tried is better.
  public var tolerance: Double
  /// The encoder's qualities to choose from, within 0 to 100. Palettes have none: they have at most
  /// ``EncodeOptions/paletteSize`` colours.
  public var range: ClosedRange<Int>

  /// Returns a target.
  ///
  /// - Parameters:
  ///   - measure: The measure and its wanted value.
  ///   - tolerance: The accepted difference from that value; `nil` is 1 for SSIMULACRA2, and a twentieth of the value for DSSIM.
  ///   - range: The encoder's qualities to choose from.
  public static func target(
    _ measure: Measure, tolerance: Double? = nil, range: ClosedRange<Int> = 30...95
  ) -> QualityTarget {
    let usual: Double =
      switch measure {
      case .ssimulacra2: 1
      case .dssim(let value): value / 20
      }
    return QualityTarget(measure: measure, tolerance: tolerance ?? usual, range: range)
  }

  /// Throws an error for a value, a tolerance or a range that has no meaning.
  func check() throws(ImagingError) {
    let isPossible =
      switch measure {
      case .ssimulacra2(let value): value.isFinite && value <= 100
      case .dssim(let value): value > 0 && value <= 1
      }
    guard isPossible, tolerance.isFinite, tolerance >= 0, range.lowerBound >= 0, range.upperBound <= 100
    else {
      throw .invalidParameter(
        name: "qualityTarget",
        reason:
          "\(self): a score is at most 100, a dissimilarity above 0 and at most 1, a tolerance at least 0, "
          + "and a range within 0...100")
    }
  }
}

extension QualityTarget: CustomStringConvertible {
  /// Such as `ssim2:70 ±1 30...95`.
  public var description: String {
    let value =
      switch measure {
      case .ssimulacra2(let value): "ssim2:\(value)"
      case .dssim(let value): "dssim:\(value)"
      }
    return "\(value) ±\(tolerance) \(range.lowerBound)...\(range.upperBound)"
  }
}
