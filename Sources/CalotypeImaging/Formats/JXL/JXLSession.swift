#if JXL
import CJXL

/// A decoder of libjxl for bytes that stay where they are. It works on the calling thread. Not `Sendable`: one thread
/// at a time.
final class JXLSession {
  /// The reports that a session asks for.
  struct Wants: OptionSet {
    let rawValue: Int32
    static let color = Wants(rawValue: Int32(CJXL_WANTS_COLOR))
    static let frames = Wants(rawValue: Int32(CJXL_WANTS_FRAMES))
    static let pixels = Wants(rawValue: Int32(CJXL_WANTS_PIXELS))
    static let jpeg = Wants(rawValue: Int32(CJXL_WANTS_JPEG))
    static let boxes = Wants(rawValue: Int32(CJXL_WANTS_BOXES))
  }

  /// The limit on the memory that the library takes through its memory manager, unless the limit of the decode is
  /// lower.
  private static let memoryLimit = 64 << 20

  let decoder: OpaquePointer
  private let memory: UnsafeMutablePointer<cjxl_memory>
  private let pace: Pace
  private let byteCount: Int

  /// The deadline of the work, which the library asks for between groups of pixels.
  final class Pace {
    var watch: DecodeLimits.DeadlineChecker
    /// The error that stopped the work.
    var failure: ImagingError?

    init(_ watch: DecodeLimits.DeadlineChecker) {
      self.watch = watch
    }

    func continues() -> Bool {
      guard failure == nil else { return false }
      do throws(ImagingError) {
        try watch.check()
      } catch {
        failure = error
      }
      return failure == nil
    }
  }

  /// - Parameters:
  ///   - bytes: The codestream, or the file with its boxes.
  ///   - wants: The reports to stop for.
  ///   - unpremultiplies: Pass true if colours are multiplied by alpha.
  ///   - limits: The limits, of which the session uses that of memory.
  ///   - watch: The deadline.
  ///   - failing: The number of the allocation that fails, from 1; 0 for none. For tests.
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/unsupportedFormat(_:reason:)``.
  init(
    _ bytes: UnsafeRawBufferPointer, wants: Wants, unpremultiplies: Bool = false, limits: DecodeLimits,
    watch: DecodeLimits.DeadlineChecker, failing: Int = 0
  ) throws(ImagingError) {
    try OptionalLibrary.jxl.require()
    pace = Pace(watch)
    byteCount = bytes.count
    memory = .allocate(capacity: 1)
    let limit = max(0, min(limits.maxMemoryBytes, Self.memoryLimit))
    memory.initialize(to: cjxl_memory(limit: limit, failing: failing, used: 0, count: 0))
    let made = cjxl_decoder_create(
      memory, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, wants.rawValue, unpremultiplies,
      { pace in pace.map { Unmanaged<Pace>.fromOpaque($0).takeUnretainedValue().continues() } ?? false },
      Unmanaged.passUnretained(pace).toOpaque())
    guard let made else {
      memory.deallocate()
      throw .outOfMemory(byteCount: limit)
    }
    decoder = made
  }

  deinit {
    cjxl_decoder_destroy(decoder)
    memory.deallocate()
  }

  /// Bytes that the library holds through its memory manager.
  var usedByteCount: Int { memory.pointee.used }

  /// Sets another deadline.
  func resume(_ watch: DecodeLimits.DeadlineChecker) { pace.watch = watch }

  /// Ends the work at the next chance, with an error.
  func fail(_ error: ImagingError) { pace.failure = pace.failure ?? error }

  /// Goes on to the next event.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)``, and the errors of the deadline.
  func next() throws(ImagingError) -> cjxl_event {
    guard pace.continues() else { throw pace.failure ?? .cancelled }
    let event = cjxl_decoder_next(decoder)
    if let failure = pace.failure { throw failure }
    guard event != CJXL_FAILED else { throw .corrupt(.jxl, reason: "libjxl cannot decode it", offset: nil) }
    return event
  }

  /// Goes on to an event, past all others.
  ///
  /// - Throws: The errors of ``next()``; ``ImagingError/truncated(_:byteCount:)`` if the bytes end before it.
  func reach(_ wanted: cjxl_event) throws(ImagingError) {
    while true {
      let event = try next()
      if event == wanted { return }
      if event == CJXL_CUT || event == CJXL_END { throw .truncated(.jxl, byteCount: byteCount) }
    }
  }
}
#endif
