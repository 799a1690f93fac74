import CGIF
import FoundationEssentials

/// A compressor of the indices of a frame.
struct GIFCompressor {
  let effort: EncodeOptions.Effort
  /// The difference of pixels that may be shown alike, in levels.
  let loss: Int

  /// Returns the code size and the sub-blocks of the variant of a frame that gets smallest; all variants show the same.
  ///
  /// - Throws: `outOfMemory`, `cancelled`.
  func smallest(
    of variants: [[UInt8]], colors: [Palette.Color], transparent: UInt8?
  ) throws(ImagingError) -> Data {
    let codeSize = max(2, GIFWriter.bits(for: colors.count))
    var best: Data?
    for variant in variants {
      // The second way to use the table differs only where the table gets full.
      for defers in effort == .fast || variant.count < 4096 ? [false] : [false, true] {
        let made = try compressed(
          variant, colors: colors, transparent: transparent, codeSize: codeSize, defers: defers)
        if made.count < best?.count ?? .max { best = made }
      }
    }
    return Data([UInt8(truncatingIfNeeded: codeSize)]) + (best ?? Data())
  }

  private func compressed(
    _ indices: [UInt8], colors: [Palette.Color], transparent: UInt8?, codeSize: Int, defers: Bool
  ) throws(ImagingError) -> Data {
    var table = colors.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] }
    table += [UInt8](repeating: 0, count: max(0, 4 << codeSize - table.count))
    let byteCount = 2 * indices.count + Int(CGIF_LZW_END_BYTES)
    guard let buffer = PixelPool.shared.take(byteCount: byteCount) else {
      throw .outOfMemory(byteCount: byteCount)
    }
    defer { PixelPool.shared.giveBack(buffer) }
    let count = indices.withUnsafeBufferPointer { indices in
      table.withUnsafeBufferPointer { table in
        var picture = cgif_lzw_picture(
          indices: indices.baseAddress, colors: loss > 0 ? table.baseAddress : nil,
          tolerance: UInt32(7 * loss * loss), transparent: transparent.map { Int32($0) } ?? -1,
          minimum_code_size: UInt32(codeSize))
        return cgif_lzw_encode_flexible(
          &picture, indices.count, defers ? 1 : 0, { Task.isCancelled ? 1 : 0 },
          buffer.baseAddress?.assumingMemoryBound(to: UInt8.self))
      }
    }
    if Task.isCancelled { throw .cancelled }
    guard count > 0 else { throw .outOfMemory(byteCount: 1 << 16) }
    return Data(buffer[..<count])
  }
}
