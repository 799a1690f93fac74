#if JXL
import CJXL
import FoundationEssentials

/// An encoder of libjxl, with the bytes that it has written. It works on the calling thread.
final class JXLWriter {
  private let encoder: OpaquePointer
  private let memory: UnsafeMutablePointer<cjxl_memory>
  private var output = Data()
  private var hasBoxes = false

  /// The limit on the memory that the library takes through its memory manager: its own state, and lists.
  private static let memoryLimit = 64 << 20

  /// - Parameter failing: The number of the allocation that fails, from 1; 0 for none. For tests.
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/unsupportedFormat(_:reason:)``.
  init(failing: Int = 0) throws(ImagingError) {
    try OptionalLibrary.jxl.require()
    memory = .allocate(capacity: 1)
    memory.initialize(to: cjxl_memory(limit: Self.memoryLimit, failing: failing, used: 0, count: 0))
    guard let made = cjxl_encoder_create(memory) else {
      memory.deallocate()
      throw .outOfMemory(byteCount: Self.memoryLimit)
    }
    encoder = made
  }

  deinit {
    cjxl_encoder_destroy(encoder)
    memory.deallocate()
  }

  /// The number of allocations through the memory manager.
  var allocationCount: Int { memory.pointee.count }

  /// Sets what all frames have in common.
  ///
  /// - Parameters:
  ///   - frame: The first frame.
  ///   - options: The settings.
  ///   - plays: The number of plays of an animation; `nil` for a still.
  ///   - hasBoxes: Pass true if metadata are added.
  func begin(
    _ frame: JXLSamples, options: EncodeOptions, plays: UInt32? = nil, hasBoxes: Bool = false
  ) throws(ImagingError) {
    guard (0...100).contains(options.quality) else {
      throw .invalidParameter(name: "quality", reason: "\(options.quality) is not 0 to 100")
    }
    self.hasBoxes = hasBoxes
    var picture = cjxl_picture()
    picture.width = UInt32(frame.bitmap.width)
    picture.height = UInt32(frame.bitmap.height)
    picture.channels = UInt32(frame.channelCount)
    picture.bits = UInt32(frame.bits)
    picture.is_lossless = options.isLossless
    picture.is_animated = plays != nil
    picture.plays = plays ?? 0
    picture.has_boxes = hasBoxes
    picture.effort = JXLQuality.effort(options.effort)
    picture.distance = JXLQuality.distance(for: options.quality)
    try check(
      Self.withBytes(of: frame.profile) { profile in
        picture.profile = profile.baseAddress
        picture.profile_size = profile.count
        return cjxl_encoder_begin(encoder, &picture)
      })
  }

  /// Adds a frame and encodes it.
  func add(_ frame: JXLSamples, milliseconds: UInt32 = 0, isLast: Bool) throws(ImagingError) {
    if Task.isCancelled { throw .cancelled }
    try frame.withBytes { (bytes) throws(ImagingError) in
      try check(cjxl_encoder_add(encoder, bytes.baseAddress, bytes.count, milliseconds, isLast))
    }
    if isLast { cjxl_encoder_close(encoder) }
    try drain()
    if Task.isCancelled { throw .cancelled }
  }

  /// Adds a box of metadata.
  func addBox(_ type: String, _ content: Data) throws(ImagingError) {
    try check(
      Self.withBytes(of: content) { cjxl_encoder_add_box(encoder, type, $0.baseAddress, $0.count) })
  }

  /// Adds a JPEG as the only frame.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` for a JPEG that the library cannot take.
  func addJPEG(_ jpeg: Data, effort: Int32) throws(ImagingError) {
    let result = Self.withBytes(of: jpeg) {
      cjxl_encoder_add_jpeg(encoder, $0.baseAddress, $0.count, effort)
    }
    guard result == CJXL_OK else {
      throw .unsupportedFormat(.jpeg, reason: "libjxl cannot store this JPEG without loss")
    }
    try drain()
  }

  /// Returns the file.
  func finish() throws(ImagingError) -> Data {
    guard !output.isEmpty else { throw .encodingFailed(.jxl, reason: "the encoder wrote nothing") }
    return output
  }

  /// Takes what the encoder has to write.
  private func drain() throws(ImagingError) {
    let size = 256 << 10
    let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    defer { buffer.deallocate() }
    var written = size
    while written == size {
      try check(cjxl_encoder_write(encoder, buffer, size, &written))
      output.append(buffer, count: written)
    }
  }

  private func check(_ result: cjxl_result) throws(ImagingError) {
    switch result {
    case CJXL_OK: return
    case CJXL_NO_MEMORY: throw .outOfMemory(byteCount: Self.memoryLimit)
    case CJXL_BAD_INPUT:
      throw .encodingFailed(.jxl, reason: "libjxl does not accept the picture or its profile")
    case CJXL_NOT_SUPPORTED: throw .encodingFailed(.jxl, reason: "libjxl does not support these settings")
    default: throw .encodingFailed(.jxl, reason: "libjxl failed")
    }
  }

  private static func withBytes<Result>(
    of data: Data?, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    guard let data else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
    return data.bytes.withUnsafeBytes { body($0.bindMemory(to: UInt8.self)) }
  }
}
#endif
