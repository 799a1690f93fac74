import CLCMS

/// A transform by three curves and a matrix, on 16 bits, which most RGB profiles consist of (ICC.1, F.3). It is as
/// exact as lcms, and many times faster.
final class ColorShaper: Sendable {
  /// The light of each of the 65,536 values, for red, green and blue.
  private let red: [Float], green: [Float], blue: [Float]
  /// The matrix from light in the colours of the profile to light in those of sRGB, row by row.
  private let matrix: [Float]

  /// Returns `nil` for profiles that have tables, which take precedence over curves, and for those without usable
  /// curves.
  init?(from profile: cmsHPROFILE, to target: cmsHPROFILE) {
    guard cmsIsMatrixShaper(profile) != 0, cmsGetPCS(profile) == cmsSigXYZData,
      cmsIsTag(profile, cmsSigAToB0Tag) == 0, cmsIsTag(profile, cmsSigAToB1Tag) == 0,
      let red = Self.light(profile, cmsSigRedTRCTag), let green = Self.light(profile, cmsSigGreenTRCTag),
      let blue = Self.light(profile, cmsSigBlueTRCTag), let colors = Self.colorants(profile),
      let back = Self.colorants(target).flatMap(Self.inverse), !Self.encoded.isEmpty
    else { return nil }
    self.red = red
    self.green = green
    self.blue = blue
    matrix = (0..<9).map { index in
      let row = 3 * (index / 3)
      let column = index % 3
      return Float(
        back[row] * colors[column] + back[row + 1] * colors[3 + column] + back[row + 2] * colors[6 + column])
    }
    // With light from 0 to 1, the sums cannot overflow.
    guard matrix.allSatisfy({ $0.magnitude < 1e6 }) else { return nil }
  }

  /// Converts pixels of ``PixelFormat/rgba16``; does not write alpha in `output`.
  func convert(_ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer, count: Int) {
    let source = input.assumingMemoryBound(to: UInt16.self)
    let target = output.assumingMemoryBound(to: UInt16.self)
    let (m0, m1, m2) = (matrix[0], matrix[1], matrix[2])
    let (m3, m4, m5) = (matrix[3], matrix[4], matrix[5])
    let (m6, m7, m8) = (matrix[6], matrix[7], matrix[8])
    red.withUnsafeBufferPointer { red in
      green.withUnsafeBufferPointer { green in
        blue.withUnsafeBufferPointer { blue in
          Self.encoded.withUnsafeBufferPointer { encoded in
            for index in 0..<count {
              let r = red[Int(source[4 * index])]
              let g = green[Int(source[4 * index + 1])]
              let b = blue[Int(source[4 * index + 2])]
              target[4 * index] = Self.encode(m0 * r + m1 * g + m2 * b, encoded)
              target[4 * index + 1] = Self.encode(m3 * r + m4 * g + m5 * b, encoded)
              target[4 * index + 2] = Self.encode(m6 * r + m7 * g + m8 * b, encoded)
            }
          }
        }
      }
    }
  }

  /// Returns the sRGB value of light, interpolated between its neighbours in the table.
  @inline(__always)
  private static func encode(_ light: Float, _ encoded: UnsafeBufferPointer<Float>) -> UInt16 {
    let place = min(max(light * 65535, 0), 65535)
    let index = Int(place)
    let low = encoded[index]
    return UInt16(low + (encoded[index + 1] - low) * (place - Float(index)) + 0.5)
  }

  /// sRGB (IEC 61966-2-1) of light from 0 to 1 in 65,536 steps, times 65,535; the last twice.
  private static let encoded: [Float] = {
    // Type 4 decodes; its inverse encodes.
    guard
      let curve = cmsBuildParametricToneCurve(nil, -4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    else { return [] }
    defer { cmsFreeToneCurve(curve) }
    return (0...65536).map { index in
      min(max(cmsEvalToneCurveFloat(curve, Float(min(index, 65535)) / 65535), 0), 1) * 65535
    }
  }()

  private static func light(_ profile: cmsHPROFILE, _ tag: cmsTagSignature) -> [Float]? {
    guard let read = cmsReadTag(profile, tag) else { return nil }
    let curve = OpaquePointer(read)
    let light = (0..<65536).map { cmsEvalToneCurveFloat(curve, Float($0) / 65535) }
    return light.allSatisfy(\.isFinite) ? light.map { min(max($0, 0), 1) } : nil
  }

  /// Returns red, green and blue in XYZ as columns.
  private static func colorants(_ profile: cmsHPROFILE) -> [Double]? {
    let tags = [cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag]
    let columns = tags.compactMap { cmsReadTag(profile, $0)?.assumingMemoryBound(to: cmsCIEXYZ.self).pointee }
    guard columns.count == 3 else { return nil }
    return columns.map(\.X) + columns.map(\.Y) + columns.map(\.Z)
  }

  private static func inverse(_ m: [Double]) -> [Double]? {
    let cofactors = [
      m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
      m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
      m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3],
    ]
    let determinant = m[0] * cofactors[0] + m[1] * cofactors[3] + m[2] * cofactors[6]
    return abs(determinant) > 1e-9 ? cofactors.map { $0 / determinant } : nil
  }
}
