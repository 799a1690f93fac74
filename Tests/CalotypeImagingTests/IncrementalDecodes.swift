import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// Compares what dripped bytes give with what all bytes at once give.
struct IncrementalDecodes {
  let decoder: any ImageDecoding
  var options = DecodeOptions(limits: DecodeLimits(maxPixels: 1 << 20))

  /// The picture of all bytes at once.
  func whole(_ data: Data) -> Result<Image, ImagingError> {
    Result { () throws(ImagingError) in try decoder.decode(data, minimumSize: nil, options: options) }
  }

  /// The picture of pieces of `size` bytes, with a snapshot after every few.
  func dripped(_ data: Data, size: Int, snapshotEvery: Int = 0) -> Result<Image, ImagingError> {
    Result { () throws(ImagingError) in
      guard let incremental = decoder.makeIncrementalDecoder(options: options) else { throw .cancelled }
      var count = 0
      for start in stride(from: 0, to: data.count, by: size) {
        try incremental.append(data.dropFirst(start).prefix(size))
        count += 1
        if snapshotEvery > 0, count % snapshotEvery == 0, let image = try incremental.snapshot() {
          if !image.isPartial { throw .invalidParameter(name: "snapshot", reason: "not marked as partial") }
        }
      }
      return try incremental.finish()
    }
  }

  func expectSame(_ data: Data, sizes: [Int] = [1, 7, 997, 65536], _ what: String) {
    let wanted = whole(data)
    for size in sizes {
      switch (wanted, dripped(data, size: size, snapshotEvery: 5)) {
      case (.success(let a), .success(let b)):
        #expect(a.bitmap == b.bitmap, "\(what), pieces of \(size)")
        #expect(a.info == b.info && a.isPartial == b.isPartial, "\(what), pieces of \(size)")
        #expect(a.orientation == b.orientation && a.metadata == b.metadata && a.profile == b.profile)
        #expect(a.bitmap.isOpaque == b.bitmap.isOpaque, "\(what), pieces of \(size)")
      case (.failure(let a), .failure(let b)):
        #expect(a == b, "\(what), pieces of \(size)")
      case (_, let b):
        Issue.record("\(what), pieces of \(size): \(b) instead of \(wanted)")
      }
    }
  }

  /// Whole, cut and damaged.
  func expectSameWhateverHappens(to data: Data, seed: UInt64, rounds: Int = 60) {
    expectSame(data, "whole")
    var random = RepeatableNumbers(state: seed)
    for _ in 0..<rounds {
      var broken = data.prefix(Int(random.next() % UInt64(data.count - 12)) + 13)
      expectSame(broken, sizes: [1, 100], "the first \(broken.count) bytes")
      broken = data
      let at = Int(random.next() % UInt64(data.count))
      broken[at] ^= UInt8(1 << (random.next() % 8))
      expectSame(broken, sizes: [1, 100], "with byte \(at) changed")
    }
  }
}
