import Glibc

/// A PNG stream put together from ranges of the input and bytes made up, without copying the input.
///
/// libspng pulls it: it sees only the chunks that pixels depend on, so that text, profiles and unknown chunks are
/// never inflated nor stored, however large they claim to be.
final class PNGByteSource {
  enum Segment {
    /// A range of the input; must lie within it.
    case input(Range<Int>)
    /// Bytes that are not in the input.
    case owned([UInt8])
  }

  private let input: UnsafeRawBufferPointer
  private let segments: [Segment]
  private var index = 0
  private var offset = 0
  /// How far the input has been read: the offset after the last byte taken from it.
  private(set) var inputPosition = 0

  /// Creates a source. `input` must stay valid as long as the source is read.
  init(_ input: UnsafeRawBufferPointer, segments: [Segment]) {
    self.input = input
    self.segments = segments
  }

  /// Copies the next `count` bytes to `target`; `false` when fewer are left.
  func read(into target: UnsafeMutableRawPointer, count: Int) -> Bool {
    var done = 0
    while done < count {
      guard index < segments.count else { return false }
      let length: Int
      switch segments[index] {
      case .input(let range):
        length = min(range.count - offset, count - done)
        let start = range.lowerBound + offset
        copy(UnsafeRawBufferPointer(rebasing: input[start..<start + length]), to: target + done)
        inputPosition = start + length
      case .owned(let bytes):
        length = min(bytes.count - offset, count - done)
        bytes.withUnsafeBytes {
          copy(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + length]), to: target + done)
        }
      }
      done += length
      offset += length
      if offset == segments[index].count {
        index += 1
        offset = 0
      }
    }
    return true
  }

  private func copy(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
    if let base = bytes.baseAddress { memcpy(target, base, bytes.count) }
  }
}

extension PNGByteSource.Segment {
  var count: Int {
    switch self {
    case .input(let range): range.count
    case .owned(let bytes): bytes.count
    }
  }
}
