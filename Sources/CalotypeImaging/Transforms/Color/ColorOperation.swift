import CPixels

/// An operation on single pixels: by tables, by a mix with one colour, or by a matrix.
///
/// Steps that return theirs in ``ImageTransforming/colorOperation`` share one pass over the pixels.
public struct ColorOperation: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// A new value for each sample by its value.
    case tables(ColorTables)
    /// A mix with one colour, by alpha.
    case mixture(ColorMixture)
    /// Four rows of five numbers: factors of red, green, blue and alpha, and a number to add, in levels of 255.
    case matrix([Float])
  }

  let kind: Kind

  static func tables(_ tables: ColorTables) -> ColorOperation { ColorOperation(kind: .tables(tables)) }
  static func mixture(_ mixture: ColorMixture) -> ColorOperation { ColorOperation(kind: .mixture(mixture)) }

  init(kind: Kind) { self.kind = kind }

  /// Changes each sample by its value.
  ///
  /// - Parameters:
  ///   - colors: The new value of a red, green or blue sample. Values are 0 to 255; results are rounded and clamped.
  ///   - alpha: The new value of an alpha sample; the identity by default.
  public init(colors: (Double) -> Double, alpha: (Double) -> Double = { $0 }) {
    self.init(kind: .tables(ColorTables(colors: colors, alpha: alpha)))
  }

  /// Computes each sample from all four samples of a pixel, as `feColorMatrix` does.
  ///
  /// - Parameter matrix: Four rows of five numbers for samples from 0 to 1. Missing numbers count as 0.
  public init(matrix: [Double]) {
    let numbers = matrix.prefix(20) + Array(repeating: 0, count: max(0, 20 - matrix.count))
    self.init(
      kind: .matrix(
        numbers.enumerated().map { index, value in Float(index % 5 == 4 ? value * 255 : value) }))
  }

  /// A Boolean value that indicates whether every pixel is unchanged.
  var isIdentity: Bool {
    switch kind {
    case .tables(let tables): tables == .identity
    case .mixture(let mixture): mixture.isIdentity
    case .matrix(let matrix): matrix.indices.allSatisfy { matrix[$0] == ($0 % 6 == 0 ? 1 : 0) }
    }
  }

  /// Returns true if all pixels of the result are opaque, for a picture that is or may not be.
  func isOpaque(of isOpaque: Bool) -> Bool {
    let alphas = isOpaque ? 255...255 : 0...255
    switch kind {
    case .tables(let tables):
      return alphas.allSatisfy { tables.value(3, UInt8(truncatingIfNeeded: $0)) == 255 }
    case .mixture(let mixture):
      return alphas.allSatisfy { mixture.alphas[$0] == 255 }
    case .matrix(let matrix):
      // The matrix has to keep the alpha, or set it.
      let row = matrix[15..<20]
      return row.elementsEqual([0, 0, 0, 1, 0]) && isOpaque
        || row.prefix(4).allSatisfy { $0 == 0 } && matrix[19] >= 255
    }
  }

  /// Returns the composition with another operation, if it gives the same bytes.
  func then(_ next: ColorOperation) -> ColorOperation? {
    guard case .tables(let tables) = kind else { return nil }
    switch next.kind {
    case .tables(let other): return .tables(tables.then(other))
    case .mixture(let mixture): return .mixture(mixture.after(tables))
    case .matrix: return nil
    }
  }

  /// Applies the operation to some pixels. Source and target may be the same.
  func run(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, pixels: Int) {
    switch kind {
    case .tables(let tables): cpx_color_tables(tables.entries, source, target, pixels)
    case .mixture(let mixture): mixture.run(source, target, pixels: pixels)
    case .matrix(let matrix): cpx_color_matrix(matrix, source, target, pixels, cpx_best_level())
    }
  }
}
