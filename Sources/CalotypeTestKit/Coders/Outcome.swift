import CalotypeImaging
import FoundationEssentials

/// How a decode ended, to be compared with another.
enum Outcome: Equatable, Sendable, CustomStringConvertible {
  case image(Bitmap, isPartial: Bool)
  case error(ImagingError)

  init(_ body: () throws(ImagingError) -> Image) {
    do {
      let image = try body()
      self = .image(image.bitmap, isPartial: image.isPartial)
    } catch {
      self = .error(error)
    }
  }

  /// The same picture or the same kind of error: a message may know more of a whole file than of its first part.
  func agrees(with other: Outcome) -> Bool {
    if case .error(let error) = self, case .error(let otherError) = other {
      return error.code == otherError.code
    }
    return self == other
  }

  var description: String {
    switch self {
    case .image(let bitmap, let isPartial):
      (isPartial ? "a partial image of " : "an image of ") + "\(bitmap.size)"
    case .error(let error): "\(error.code) (\(error))"
    }
  }
}

extension ImagingError {
  /// Whether the error says that the bytes are no sound image.
  var blamesBytes: Bool {
    switch self {
    case .emptyInput, .unrecognizedFormat, .unsupportedFormat, .corrupt, .truncated: true
    case .limitExceeded, .invalidParameter, .cannotFit, .encodingFailed, .transformFailed, .outOfMemory,
      .decoderCrashed, .sandboxViolation, .sandboxUnavailable,
      .cancelled:
      false
    }
  }

  func isLimit(_ kind: DecodeLimits.Kind) -> Bool {
    if case .limitExceeded(kind, _, _) = self { true } else { false }
  }
}

extension Bitmap {
  /// Whether every alpha is 255, if there is alpha at all.
  var alphaIsFull: Bool {
    guard format == .rgba8 else { return true }
    return withUnsafeBytes { pixels in
      stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 }
    }
  }

  /// The mean absolute difference of the channels; colours that cannot be seen do not count.
  func meanDifference(from other: Bitmap) -> Double {
    withUnsafeBytes { a in
      other.withUnsafeBytes { b in
        var sum = 0
        for index in 0..<min(a.count, b.count) where a[index | 3] != 0 || b[index | 3] != 0 || index & 3 == 3
        {
          sum += abs(Int(a[index]) - Int(b[index]))
        }
        return Double(sum) / Double(max(1, a.count))
      }
    }
  }
}

/// Numbers that look random and are the same for the same seed (Marsaglia, xorshift64).
struct Xorshift {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed == 0 ? 88_172_645_463_325_252 : seed
  }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  mutating func below(_ limit: Int) -> Int { limit > 0 ? Int(next() % UInt64(limit)) : 0 }

  /// A few bits flipped, bytes replaced, or a stretch removed, repeated or zeroed.
  mutating func damage(_ bytes: inout Data) {
    guard !bytes.isEmpty else { return }
    for _ in 0...below(4) {
      let place = bytes.startIndex + below(bytes.count)
      let end = min(bytes.endIndex, place + 1 + below(16))
      switch below(6) {
      case 0, 1: bytes[place] ^= 1 << UInt8(below(8))
      case 2: bytes[place] = UInt8(truncatingIfNeeded: next())
      case 3: bytes[place] = [0x00, 0x7F, 0x80, 0xFF][below(4)]
      case 4 where bytes.count > 32: bytes.removeSubrange(place..<end)
      case 5: bytes.insert(contentsOf: Data(bytes[place..<end]), at: place)
      default: for index in place..<end { bytes[index] = 0 }
      }
    }
  }
}
