import Glibc

/// A fraction of Exif.
struct ExifFraction: Hashable, Sendable {
  let numerator: Int
  let denominator: Int

  /// The value; `nil` for a division by 0.
  var value: Double? { denominator == 0 ? nil : Double(numerator) / Double(denominator) }

  /// The value with at most four digits behind the point; the fraction itself if it has no value.
  var text: String { value.map { Self.text($0) } ?? "\(numerator)/\(denominator)" }

  static func text(_ value: Double, digits: Int = 4) -> String {
    let scale = Double([1, 10, 100, 1000, 10_000][digits])
    let rounded = (value * scale).rounded() / scale
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : String(rounded)
  }
}

/// How fractions are written.
enum ExifStyle: Hashable, Sendable {
  case plain
  case fNumber
  case aperture
  case shutterSpeed
  case exposureTime
  case exposureBias
  case length
  case distance
  case angle
  case time

  /// Returns the values as people write them; `nil` for plain numbers, and for values that are none.
  func text(of fractions: [ExifFraction]) -> String? {
    let values = fractions.compactMap(\.value)
    guard values.count == fractions.count, let first = values.first else { return nil }
    func fixed(_ value: Double) -> String { ExifFraction.text(value, digits: 2) }
    switch self {
    case .plain: return nil
    case .fNumber: return "f/" + ExifFraction.text(first, digits: 1)
    case .aperture:
      return fixed(first) + " EV (f/" + ExifFraction.text(exp2(first / 2), digits: 1) + ")"
    case .shutterSpeed: return fixed(first) + " EV (" + Self.seconds(exp2(-first)) + ")"
    case .exposureTime: return Self.seconds(first)
    case .exposureBias: return fixed(first) + " EV"
    case .length: return ExifFraction.text(first, digits: 1) + " mm"
    case .distance: return fixed(first) + " m"
    case .angle, .time:
      return values.map { ExifFraction.text($0) }.joined(separator: self == .time ? ":" : ", ")
    }
  }

  private static func seconds(_ value: Double) -> String {
    guard value > 0, value < 1 else { return ExifFraction.text(value, digits: 1) + " sec." }
    return "1/" + String(Int((1 / value).rounded())) + " sec."
  }
}
