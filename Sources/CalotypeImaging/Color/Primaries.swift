/// The primaries and the white point of a colour space, as CIE x and y (ITU-T H.273, table 2).
struct Primaries: Hashable, Sendable {
  typealias Point = ColorProfile.Calibration.Point

  let red: Point, green: Point, blue: Point, white: Point

  /// White of CIE illuminant D65.
  static let d65 = Point(x: 0.3127, y: 0.3290)
  static let sRGB = Primaries([0.64, 0.33, 0.30, 0.60, 0.15, 0.06], d65)

  private init(_ points: [Double], _ white: Point) {
    red = Point(x: points[0], y: points[1])
    green = Point(x: points[2], y: points[3])
    blue = Point(x: points[4], y: points[5])
    self.white = white
  }

  /// Returns `nil` for code points without known primaries.
  init?(codePoint: UInt8) {
    switch codePoint {
    case 1: self = .sRGB
    case 4: self.init([0.67, 0.33, 0.21, 0.71, 0.14, 0.08], Point(x: 0.310, y: 0.316))
    case 5: self.init([0.64, 0.33, 0.29, 0.60, 0.15, 0.06], Self.d65)
    case 6, 7: self.init([0.630, 0.340, 0.310, 0.595, 0.155, 0.070], Self.d65)
    case 9: self.init([0.708, 0.292, 0.170, 0.797, 0.131, 0.046], Self.d65)
    case 10: self.init([1, 0, 0, 1, 0, 0], Point(x: 1.0 / 3, y: 1.0 / 3))
    case 11: self.init([0.680, 0.320, 0.265, 0.690, 0.150, 0.060], Point(x: 0.314, y: 0.351))
    case 12: self.init([0.680, 0.320, 0.265, 0.690, 0.150, 0.060], Self.d65)
    case 22: self.init([0.630, 0.340, 0.295, 0.605, 0.155, 0.077], Self.d65)
    default: return nil
    }
  }

  /// The matrix from light to XYZ, whose white has a luminance of 1.
  var toXYZ: Matrix3 {
    // The columns have the chromaticity of the primaries; their sizes follow from the white point.
    func column(_ point: Point) -> [Double] { [point.x, point.y, 1 - point.x - point.y] }
    let columns = [column(red), column(green), column(blue)]
    let points = Matrix3((0..<9).map { columns[$0 % 3][$0 / 3] })
    let sizes = points.inverse * white.color
    return Matrix3((0..<9).map { points[$0] * sizes[$0 % 3] })
  }

  /// The matrix from light to that of sRGB; white is adapted as by ICC profiles (Bradford).
  var toSRGB: Matrix3 {
    let adaptation =
      white == Self.d65 ? Matrix3.identity : Matrix3.bradford(from: white.color, to: Self.d65.color)
    return Self.sRGB.toXYZ.inverse * adaptation * toXYZ
  }
}

extension ColorProfile.Calibration.Point {
  /// The colour in XYZ with a luminance of 1.
  fileprivate var color: [Double] { [x / y, 1, (1 - x - y) / y] }
}
