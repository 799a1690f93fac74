/// The size of the picture that is made of a drawing, such as an SVG, without a thumbnail.
public enum VectorSize: Hashable, Sendable, Codable {
  /// The natural size times a factor: the number of pixels for each of 96 to an inch.
  case scale(Double)
  /// The largest size with the proportions of the drawing that lies within a box, also larger than its own. A side of 0
  /// is free and follows from the other.
  case box(PixelSize)

  /// The longest side; limits are far below.
  private static let longest = 1e9

  /// Returns the size for a drawing of this natural size, rounded, and at least 1 by 1.
  func size(of natural: PixelSize) -> PixelSize {
    switch self {
    case .scale(let factor):
      func scaled(_ side: Int) -> Int { max(1, Int(min(Double(side) * factor, Self.longest).rounded())) }
      return PixelSize(width: scaled(natural.width), height: scaled(natural.height))
    case .box(let box):
      return (try? Thumbnail(box: box, mode: .fit).geometry(for: natural, enlarges: true).size) ?? natural
    }
  }

  /// All properties as text, for keys of caches.
  package var identity: String {
    switch self {
    case .scale(let factor): "scale \(factor)"
    case .box(let box): "box \(box.width)x\(box.height)"
    }
  }

  /// Refuses a size that no drawing can have.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)``.
  func check() throws(ImagingError) {
    switch self {
    case .scale(let factor):
      guard factor.isFinite, factor > 0 else {
        throw .invalidParameter(name: "vectorSize", reason: "a scale of \(factor) gives no pixels")
      }
    case .box(let box):
      guard box.width >= 0, box.height >= 0, box.width > 0 || box.height > 0 else {
        throw .invalidParameter(name: "vectorSize", reason: "the box \(box) has no size")
      }
    }
  }
}
