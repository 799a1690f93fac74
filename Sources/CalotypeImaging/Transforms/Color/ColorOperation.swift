import CPixels

/// What a colour step does to each pixel, by itself: the few kinds that there are loops for.
enum ColorOperation: Hashable, Sendable {
  /// Each sample by its value.
  case tables(ColorTables)
  /// A mix with one colour, by alpha.
  case mixture(ColorMixture)
  /// Four rows of five numbers: factors of red, green, blue and alpha, and a number to add, in levels of 255.
  case matrix([Float])

  /// A matrix for samples from 0 to 1, four rows of five, as `feColorMatrix` has it.
  init(matrix: [Double]) {
    self = .matrix(
      matrix.enumerated().map { index, value in Float(index % 5 == 4 ? value * 255 : value) })
  }

  /// Whether every pixel stays as it is.
  var isIdentity: Bool {
    switch self {
    case .tables(let tables): tables == .identity
    case .mixture(let mixture): mixture.isIdentity
    case .matrix(let matrix): matrix.indices.allSatisfy { matrix[$0] == ($0 % 6 == 0 ? 1 : 0) }
    }
  }

  /// Whether all pixels of the result are opaque, when all of the picture are or when that is not known.
  func isOpaque(of isOpaque: Bool) -> Bool {
    let alphas = isOpaque ? 255...255 : 0...255
    switch self {
    case .tables(let tables):
      return alphas.allSatisfy { tables.value(3, UInt8(truncatingIfNeeded: $0)) == 255 }
    case .mixture(let mixture):
      return alphas.allSatisfy { mixture.alphas[$0] == 255 }
    case .matrix(let matrix):
      // Only what keeps the alpha, or sets it.
      let row = matrix[15..<20]
      return row.elementsEqual([0, 0, 0, 1, 0]) && isOpaque
        || row.prefix(4).allSatisfy { $0 == 0 } && matrix[19] >= 255
    }
  }

  /// Both in one step, when that gives the same bytes.
  func then(_ next: ColorOperation) -> ColorOperation? {
    guard case .tables(let tables) = self else { return nil }
    switch next {
    case .tables(let other): return .tables(tables.then(other))
    case .mixture(let mixture): return .mixture(mixture.after(tables))
    case .matrix: return nil
    }
  }

  /// Does it to some pixels. Source and target may be the same.
  func run(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, pixels: Int) {
    switch self {
    case .tables(let tables): cpx_color_tables(tables.entries, source, target, pixels)
    case .mixture(let mixture): mixture.run(source, target, pixels: pixels)
    case .matrix(let matrix): cpx_color_matrix(matrix, source, target, pixels, cpx_best_level())
    }
  }
}
