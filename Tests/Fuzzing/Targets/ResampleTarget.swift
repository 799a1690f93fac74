@testable import CalotypeImaging
import CPixels
import FoundationEssentials
import Glibc

/// Turns and resizes a picture by parameters made of the bytes, with all instruction sets.
enum ResampleTarget {
  static func run(_ input: FuzzInput) throws {
    var numbers = NumberReader(input.bytes)
    let size = side(&numbers)
    let target = side(&numbers)
    let filter = numbers.element(of: ResampleFilter.allCases)
    let orientation = numbers.element(of: Orientation.allCases)
    let flags = numbers.byte()
    let isOpaque = flags & 1 != 0
    let region = flags & 2 == 0 ? nil : region(&numbers, size, isFree: flags & 4 != 0)
    let box = PixelSize(width: Int(numbers.integer(Int16.self)), height: Int(numbers.integer(Int16.self)))
    let mode = numbers.element(of: Thumbnail.Mode.allCases)
    let pattern = Array(numbers.rest())
    let bitmap = try Bitmap(size: size) { pixels in
      for index in pixels.indices {
        pixels[index] =
          isOpaque && index % 4 == 3 ? 255 : pattern.isEmpty ? 128 : pattern[index % pattern.count]
      }
      return isOpaque
    }

    try turn(bitmap, orientation)
    let linearLight = flags & 8 != 0
    try resize(bitmap, to: target, region, filter, linearLight)
    if flags & 16 != 0 {
      try resize(try bitmap.converted(to: .rgba16), to: target, region, filter, false)
    } else {
      try resizeRows(of: bitmap, to: target, filter, linearLight)
    }

    let thumbnail = Thumbnail(box: box, mode: mode, filter: filter)
    let shrunk = try Promises.result { () throws(ImagingError) in
      try bitmap.shrunk(to: thumbnail, sourceSize: size, orientation: orientation)
    }
    guard case .success(let small) = shrunk else { return }
    try FuzzFailure.unless(
      small.width <= size.width && small.height <= size.height, "enlarged to \(small.size)")
    try Promises.check(small, .default)
  }

  /// Long and thin, now and then very long, or up to 64 pixels in both directions.
  private static func side(_ numbers: inout NumberReader) -> PixelSize {
    let shape = numbers.byte()
    let a = Int(numbers.integer(UInt16.self))
    let b = Int(numbers.byte())
    let longest = shape < 4 ? 200_000 : 2048
    switch shape % 4 {
    case 0: return PixelSize(width: a * 4 % longest + 1, height: b % 2 + 1)
    case 1: return PixelSize(width: b % 2 + 1, height: a * 4 % longest + 1)
    default: return PixelSize(width: a % 64 + 1, height: b % 64 + 1)
    }
  }

  /// Any numbers, or such as lie within the picture.
  private static func region(_ numbers: inout NumberReader, _ size: PixelSize, isFree: Bool) -> Bitmap.Region
  {
    if isFree {
      func number() -> Double { Double(bitPattern: numbers.integer(UInt64.self)) }
      return Bitmap.Region(x: number(), y: number(), width: number(), height: number())
    }
    func fraction() -> Double { Double(numbers.integer(UInt16.self)) / 65536 }
    let (x, y) = (fraction() * Double(size.width), fraction() * Double(size.height))
    return Bitmap.Region(
      x: x, y: y, width: fraction() * (Double(size.width) - x), height: fraction() * (Double(size.height) - y)
    )
  }

  private static func turn(_ bitmap: Bitmap, _ orientation: Orientation) throws {
    let turned = try bitmap.oriented(orientation)
    try FuzzFailure.unless(turned.size == orientation.apply(to: bitmap.size), "\(turned.size)")
    // Turning by 90 degrees is undone by turning on; all others undo themselves.
    let back: Orientation =
      switch orientation {
      case .rightTop: .leftBottom
      case .leftBottom: .rightTop
      default: orientation
      }
    try FuzzFailure.unless(try turned.oriented(back) == bitmap, "\(orientation) cannot be undone")
  }

  /// Rows that come one after the other make the same picture.
  private static func resizeRows(
    of bitmap: Bitmap, to size: PixelSize, _ filter: ResampleFilter, _ linearLight: Bool
  ) throws {
    guard size.pixelCount <= 1 << 18, bitmap.width * size.height <= 1 << 20, size != bitmap.size else {
      return
    }
    let plan = ResamplePlan(
      source: bitmap.size, format: .rgba8, isOpaque: bitmap.isOpaque, size: size,
      region: Bitmap.Region(bitmap.size), filter: filter, linearLight: linearLight)
    guard !plan.reducesFirst else { return }
    let whole = try Promises.result { () throws(ImagingError) in
      try bitmap.resampled(to: size, filter: filter, linearLight: linearLight)
    }
    guard case .success(let whole) = whole else { return }
    // Twice: what comes once serves both.
    let rows = try RowSink([plan, plan])
    while !rows.isComplete {
      let room = rows.room
      guard let target = room.start, room.count > 0 else { throw FuzzFailure("no room for row \(rows.rows)") }
      let count = min(room.count, 1 + rows.rows % 7)
      bitmap.withUnsafeBytes { bytes in
        let first = rows.rows * bitmap.bytesPerRow
        memcpy(target, bytes.baseAddress.unsafelyUnwrapped + first, count * bitmap.bytesPerRow)
      }
      rows.advance(by: count)
    }
    try FuzzFailure.unless(rows.finished() == [whole, whole], "rows make another picture than the whole")
  }

  private static func resize(
    _ bitmap: Bitmap, to size: PixelSize, _ region: Bitmap.Region?, _ filter: ResampleFilter,
    _ linearLight: Bool
  ) throws {
    // Rows are made narrower after they were multiplied: a line that becomes a column takes forever.
    guard size.pixelCount <= 1 << 18, bitmap.width * size.height <= 1 << 20 else { return }
    let levels = [CPX_LEVEL_PORTABLE, CPX_LEVEL_SIMD128, CPX_LEVEL_SIMD256, CPX_LEVEL_SIMD512]
    var reference: Result<Bitmap, ImagingError>?
    for level in levels where level.rawValue <= cpx_best_level().rawValue {
      if case .success(let bitmap)? = reference { Promises.soilPool(like: bitmap, with: 0xA5) }
      let result = try Promises.result { () throws(ImagingError) in
        try bitmap.resampled(
          to: size, from: region, filter: filter, linearLight: linearLight, pool: .shared,
          level: level)
      }
      if case .success(let bitmap) = result { try Promises.check(bitmap, .default) }
      if let reference {
        try FuzzFailure.unless(reference == result, "level \(level.rawValue) differs from the portable one")
      } else {
        reference = result
      }
    }
  }
}
