@testable import CalotypeImaging

/// What the tests of steps that change the shape of a picture share.
enum RasterSteps {
  typealias Parser<Step> = (inout TransformArguments) throws(ImagingError) -> Step

  /// The step that is written so.
  static func parsed<Step>(_ text: String, _ parser: Parser<Step>) throws(ImagingError) -> Step {
    var arguments = try TransformArguments(text)
    return try parser(&arguments)
  }

  /// Whether the identity reads back as the same step.
  static func readsBack<Step: ImageTransforming & Hashable>(_ step: Step, _ parser: Parser<Step>) throws
    -> Bool
  {
    let again = try parsed(step.identity, parser)
    return again == step && again.identity == step.identity
  }

  /// The name of the invalid parameter that the body throws; `nil` when it throws nothing or something else.
  static func invalid(_ body: () throws -> some Any) -> String? {
    do {
      _ = try body()
      return nil
    } catch ImagingError.invalidParameter(let name, let reason) where !reason.isEmpty {
      return name
    } catch {
      return nil
    }
  }

  /// What a step throws in a task that was cancelled before it began.
  static func cancelled(_ step: some ImageTransforming, _ bitmap: Bitmap) async -> ImagingError? {
    let task = Task { () throws -> Bitmap in
      withUnsafeCurrentTask { $0?.cancel() }
      return try step.apply(to: bitmap)
    }
    do {
      _ = try await task.value
      return nil
    } catch {
      return error as? ImagingError
    }
  }

  /// Whether both are the same memory.
  static func isSame(_ a: Bitmap, _ b: Bitmap) -> Bool {
    a.size == b.size && a.withUnsafeBytes { $0.baseAddress } == b.withUnsafeBytes { $0.baseAddress }
  }

  /// A picture written in letters, rows separated by `/`, as `Bitmap.letters` writes them. Transparent pixels are red
  /// underneath.
  static func picture(_ letters: String) throws -> Bitmap {
    let rows = letters.split(separator: "/").map { Array($0) }
    let colors: [Character: [UInt8]] = [
      "R": [255, 0, 0, 255], "G": [0, 255, 0, 255], "B": [0, 0, 255, 255], "W": [255, 255, 255, 255],
      "K": [0, 0, 0, 255], ".": [255, 0, 0, 0],
    ]
    return try ResamplePictures.make(rows[0].count, rows.count, opaque: !letters.contains(".")) { x, y in
      colors[rows[y][x]] ?? [1, 2, 3, 4]
    }
  }

  /// The four bytes of a pixel.
  static func pixel(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> [UInt8] {
    bitmap.withUnsafeBytes { Array($0[(4 * (y * bitmap.width + x))..<(4 * (y * bitmap.width + x) + 4)]) }
  }

  /// How far a picture is from one computed in double precision: four numbers a pixel, 0 to 255, colours weighed by
  /// alpha.
  static func largestDifference(_ bitmap: Bitmap, _ expected: [Double]) -> Double {
    guard bitmap.byteCount == expected.count else { return .infinity }
    let bytes = ResamplePictures.bytes(bitmap)
    var largest = 0.0
    for index in bytes.indices {
      let alpha = index % 4 == 3 ? 255 : Double(bytes[index / 4 * 4 + 3])
      largest = max(largest, abs(Double(bytes[index]) * alpha / 255 - expected[index]))
    }
    return largest
  }
}
