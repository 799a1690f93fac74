/// A matrix of three rows and columns.
struct Matrix3: Hashable, Sendable {
  /// The nine elements, row by row.
  let elements: [Double]

  static let identity = Matrix3([1, 0, 0, 0, 1, 0, 0, 0, 1])

  /// - Parameter elements: Nine elements, row by row.
  init(_ elements: [Double]) { self.elements = elements }

  subscript(index: Int) -> Double { elements[index] }

  static func * (left: Matrix3, right: Matrix3) -> Matrix3 {
    Matrix3(
      (0..<9).map { index in
        (0..<3).reduce(0) { $0 + left[index / 3 * 3 + $1] * right[3 * $1 + index % 3] }
      })
  }

  static func * (left: Matrix3, right: [Double]) -> [Double] {
    (0..<3).map { row in (0..<3).reduce(0) { $0 + left[3 * row + $1] * right[$1] } }
  }

  /// The inverse. The matrices of colour spaces have one.
  var inverse: Matrix3 {
    let m = elements
    let cofactors = [
      m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
      m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
      m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3],
    ]
    let determinant = m[0] * cofactors[0] + m[1] * cofactors[3] + m[2] * cofactors[6]
    return Matrix3(cofactors.map { $0 / determinant })
  }

  /// Returns the adaptation of XYZ from one white to another (ICC.1, annex E).
  static func bradford(from white: [Double], to target: [Double]) -> Matrix3 {
    let cones = Matrix3([0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296])
    let (from, to) = (cones * white, cones * target)
    let scale = Matrix3([to[0] / from[0], 0, 0, 0, to[1] / from[1], 0, 0, 0, to[2] / from[2]])
    return cones.inverse * scale * cones
  }
}
