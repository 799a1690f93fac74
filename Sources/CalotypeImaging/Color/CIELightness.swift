import Glibc

/// The function f of CIELAB (CIE 15:2004, 8.2.1.1), tabulated.
enum CIELightness {
  /// f of light in 65535ths of white: 65,536 entries.
  static let roots: [Float] = (0..<65536).map { Float(root(of: Double($0) / 65535)) }

  /// Returns f of light, 0 to 1.
  static func root(of light: Double) -> Double {
    let edge = 6.0 / 29
    return light > edge * edge * edge ? cbrt(light) : light / (3 * edge * edge) + 4.0 / 29
  }
}
