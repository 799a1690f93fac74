import CGIF
import FoundationEssentials

/// The pixels of a frame as indices into a palette.
struct GIFIndices {
  /// The index of each pixel.
  var indices: [UInt8]
  /// A byte for each pixel, 1 if it is there already and may be transparent instead; `nil` if there is none.
  var unchanged: [UInt8]?

  /// Returns the indices with all unchanged pixels transparent.
  func clearing(_ transparent: UInt8) -> GIFIndices {
    guard let unchanged else { return self }
    return GIFIndices(indices: zip(indices, unchanged).map { $1 == 0 ? $0 : transparent })
  }
}

/// A compressor of the indices of a frame.
struct GIFCompressor {
  let effort: EncodeOptions.Effort
  /// The difference of pixels that may be shown alike, in levels.
  let loss: Int

  /// Returns the code size and the sub-blocks of the smallest way to show a frame: with unchanged pixels painted,
  /// transparent, or either, as it fits the strings of LZW.
  ///
  /// - Parameter transparent: The index of the transparent colour, if there is one.
  /// - Throws: `outOfMemory`, `cancelled`.
  func smallest(
    of frame: GIFIndices, colors: [Palette.Color], transparent: UInt8?
  ) throws(ImagingError) -> (data: Data, hasTransparency: Bool) {
    var ways = [frame]
    if let transparent, frame.unchanged != nil {
      ways = [frame.clearing(transparent)]
      if effort != .fast { ways += [frame, GIFIndices(indices: frame.indices)] }
    } else {
      ways[0].unchanged = nil
    }
    var best: (data: Data, hasTransparency: Bool)?
    for way in ways {
      let highest = max(way.indices.max() ?? 0, way.unchanged == nil ? 0 : transparent ?? 0)
      let codeSize = max(2, GIFWriter.bits(for: Int(highest) + 1))
      // The second way to use the table differs only where the table gets full.
      for defers in effort == .fast || way.indices.count < 4096 ? [false] : [false, true] {
        let made = try compressed(
          way, colors: colors, transparent: transparent, codeSize: codeSize, defers: defers)
        if made.count < best?.data.count ?? .max {
          best = (made, transparent.map { way.unchanged != nil || way.indices.contains($0) } ?? false)
        }
      }
    }
    return best ?? (Data(), false)
  }

  private func compressed(
    _ way: GIFIndices, colors: [Palette.Color], transparent: UInt8?, codeSize: Int, defers: Bool
  ) throws(ImagingError) -> Data {
    var table = colors.prefix(1 << codeSize).flatMap { [$0.red, $0.green, $0.blue, $0.alpha] }
    // Colours behind the last one are as the file stores them.
    table += [UInt8](repeating: 0, count: max(0, 4 << codeSize - table.count))
    let pixelCount = way.indices.count
    let byteCount = 2 * pixelCount + Int(CGIF_LZW_END_BYTES)
    guard let buffer = PixelPool.shared.take(byteCount: byteCount) else {
      throw .outOfMemory(byteCount: byteCount)
    }
    defer { PixelPool.shared.giveBack(buffer) }
    let count = way.indices.withUnsafeBufferPointer { indices in
      table.withUnsafeBufferPointer { table in
        (way.unchanged ?? []).withUnsafeBufferPointer { unchanged in
          var picture = cgif_lzw_picture(
            indices: indices.baseAddress, colors: loss > 0 ? table.baseAddress : nil,
            tolerance: UInt32(7 * loss * loss), transparent: transparent.map { Int32($0) } ?? -1,
            unchanged: way.unchanged == nil ? nil : unchanged.baseAddress,
            minimum_code_size: UInt32(codeSize))
          return cgif_lzw_encode_flexible(
            &picture, pixelCount, defers ? 1 : 0, { Task.isCancelled ? 1 : 0 },
            buffer.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
      }
    }
    if Task.isCancelled { throw .cancelled }
    guard count > 0 else { throw .outOfMemory(byteCount: 1 << 16) }
    return Data([UInt8(truncatingIfNeeded: codeSize)]) + Data(buffer[..<count])
  }
}
