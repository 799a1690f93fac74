import CalotypeImaging
import FoundationEssentials

extension WireReader {
  /// Reads the pictures for each of the options, and copies them out of shared memory, where the worker could change them
  /// after they were checked.
  mutating func images(
    for variants: [DecodeOptions], in memory: UnsafeRawBufferPointer
  ) throws(WireError) -> [Image] {
    guard try int() == variants.count else { throw WireError(reason: "the number of pictures is wrong") }
    var images: [Image] = []
    for options in variants { images.append(try picture(for: options, in: memory)) }
    return images
  }

  /// Reads no picture or one.
  mutating func optionalImage(
    for options: DecodeOptions, in memory: UnsafeRawBufferPointer
  ) throws(WireError) -> Image? {
    try int(in: 0...1, "the number of pictures") == 0 ? nil : try picture(for: options, in: memory)
  }

  private mutating func picture(
    for options: DecodeOptions, in memory: UnsafeRawBufferPointer
  ) throws(WireError) -> Image {
    let message = try image(for: options, capacity: memory.count)
    do throws(ImagingError) {
      let bitmap = try Bitmap(size: message.size, format: message.format) { buffer in
        buffer.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: memory[message.offset..<message.offset + buffer.count]))
        return message.isOpaque
      }
      return Image(
        bitmap: bitmap, info: message.info, orientation: message.orientation, isPartial: message.isPartial,
        profile: message.profile, metadata: message.metadata)
    } catch {
      throw WireError(reason: "\(error)")
    }
  }
}
