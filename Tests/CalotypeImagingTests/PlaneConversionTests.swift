import CPixels
import Testing

/// The conversion of planes to RGB, against the formula in double precision.
@Suite("Planes to RGB")
struct PlaneConversionTests {
  struct Case: CustomStringConvertible, Sendable {
    let depth: Int
    let chroma: UInt32
    let matrix: UInt16
    let isFullRange: Bool
    var description: String { "\(depth) bits, chroma \(chroma), matrix \(matrix), full \(isFullRange)" }
  }

  static let cases: [Case] = {
    var cases: [Case] = []
    for depth in [8, 10, 12] {
      for chroma in 0...3 as ClosedRange<UInt32> {
        for matrix in [1, 6, 9, 0] as [UInt16] where matrix != 0 || chroma == 3 {
          for isFullRange in [true, false] {
            cases.append(Case(depth: depth, chroma: chroma, matrix: matrix, isFullRange: isFullRange))
          }
        }
      }
    }
    return cases
  }()

  private static let shares: [UInt16: (red: Double, blue: Double)] = [
    1: (0.2126, 0.0722), 6: (0.299, 0.114), 9: (0.2627, 0.0593),
  ]
  private static let size = (width: 299, height: 5)

  private typealias Pointer = UnsafeMutablePointer<UInt8>

  private func sample(_ planes: cpx_planes, _ plane: Int, _ x: Int, _ y: Int) -> Double {
    let data = withUnsafeBytes(of: planes.data) { $0.assumingMemoryBound(to: Pointer?.self)[plane] }
    let stride = withUnsafeBytes(of: planes.stride) { $0.assumingMemoryBound(to: Int.self)[plane] }
    guard let data else { return 0 }
    let row = UnsafeRawPointer(data) + y * stride
    return planes.depth > 8
      ? Double(row.load(fromByteOffset: 2 * x, as: UInt16.self))
      : Double(row.load(fromByteOffset: x, as: UInt8.self))
  }

  @Test("as the formula, rounded once, at every level, from any column", arguments: cases)
  func formula(item: Case) throws {
    var planes = cpx_planes()
    let (width, height) = Self.size
    let chroma = cpx_chroma(rawValue: item.chroma)
    #expect(cpx_planes_allocate(&planes, UInt32(width), UInt32(height), UInt32(item.depth), chroma))
    defer { cpx_planes_free(&planes) }
    var state: UInt32 = 7
    let most = UInt32(1) << UInt32(item.depth) - 1
    let bytes = withUnsafeBytes(of: planes.data) {
      Array($0.assumingMemoryBound(to: Pointer?.self))
    }
    let strides = withUnsafeBytes(of: planes.stride) { Array($0.assumingMemoryBound(to: Int.self)) }
    for plane in 0..<3 {
      guard let data = bytes[plane] else { continue }
      let rows = plane == 0 ? height : Int(cpx_chroma_height(chroma, UInt32(height)))
      for offset in Swift.stride(from: 0, to: rows * strides[plane], by: item.depth > 8 ? 2 : 1) {
        state = state &* 1_664_525 &+ 1_013_904_223
        let value = state >> 12 & most
        if item.depth > 8 {
          UnsafeMutableRawPointer(data).storeBytes(of: UInt16(value), toByteOffset: offset, as: UInt16.self)
        } else {
          data[offset] = UInt8(value)
        }
      }
    }
    var points = cpx_code_points(
      primaries: 1, transfer: 13, matrix: item.matrix, is_full_range: item.isFullRange)
    var conversion = cpx_ycc()
    #expect(cpx_ycc_init(&conversion, &points, UInt32(item.depth), chroma))
    for left in [0, 1] {
      for depth in [8, 16] {
        var results: [[UInt16]] = []
        for level in [CPX_LEVEL_PORTABLE, cpx_best_level()] {
          var out = [UInt8](repeating: 0, count: (width - left) * height * (depth / 2))
          withUnsafePointer(to: &planes) { color in
            var rows = cpx_ycc_rows(
              color: color, alpha: nil, left: UInt32(left), width: UInt32(width - left), row: 0, alpha_row: 0,
              count: UInt32(height), is_premultiplied: false)
            cpx_ycc_convert(&conversion, &rows, UInt32(depth), &out, (width - left) * (depth / 2), level)
          }
          results.append(
            depth == 8 ? out.map(UInt16.init) : out.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) })
        }
        #expect(results[0] == results[1])
        for y in 0..<height {
          for x in left..<width {
            let wanted = expected(item, planes, x, y)
            for channel in 0..<4 {
              let value = Double(results[0][4 * (y * (width - left) + x - left) + channel])
              let exact = wanted[channel] * (depth == 8 ? 255 : 65_535)
              #expect(abs(value - exact) <= (depth == 8 ? 0.501 : 0.6), "\(x), \(y), \(channel)")
            }
          }
        }
      }
    }
  }

  /// Red, green, blue and alpha from 0 to 1.
  private func expected(_ item: Case, _ planes: cpx_planes, _ x: Int, _ y: Int) -> [Double] {
    let unit = Double(1 << (item.depth - 8))
    let most = Double(1 << item.depth) - 1
    let (black, range) = item.isFullRange ? (0, most) : (16 * unit, 219 * unit)
    let chromaRange = item.isFullRange ? most : 224 * unit
    let luma = (sample(planes, 0, x, y) - black) / range
    func clamp(_ values: [Double]) -> [Double] { values.map { min(max($0, 0), 1) } + [1] }
    guard item.chroma > 0 else { return clamp([luma, luma, luma]) }
    let (column, row) = (item.chroma == 3 ? x : x / 2, item.chroma == 1 ? y / 2 : y)
    let (u, v) = (sample(planes, 1, column, row), sample(planes, 2, column, row))
    guard let (red, blue) = Self.shares[item.matrix] else {
      return clamp([(v - black) / range, luma, (u - black) / range])
    }
    let (cb, cr) = ((u - 128 * unit) / chromaRange, (v - 128 * unit) / chromaRange)
    let green = 1 - red - blue
    let r = luma + 2 * (1 - red) * cr
    let b = luma + 2 * (1 - blue) * cb
    return clamp([r, (luma - red * r - blue * b) / green, b])
  }

  @Test("matrices that are not known, or do not fit the planes, are refused")
  func refused() {
    var conversion = cpx_ycc()
    for (matrix, chroma) in [
      (8, CPX_CHROMA_420), (14, CPX_CHROMA_444), (0, CPX_CHROMA_420), (0, CPX_CHROMA_422),
    ] {
      var points = cpx_code_points(primaries: 1, transfer: 13, matrix: UInt16(matrix), is_full_range: true)
      #expect(!cpx_ycc_init(&conversion, &points, 8, chroma))
    }
  }
}
