import CalotypeSupport
import FoundationEssentials

extension AnimatedImage {
  /// The frame decoders of one animation: each at its place in it, used by one thread at a time.
  final class FramePool: Sendable {
    /// Idle decoders that are kept: one for playback, one for access to other frames.
    static let idleLimit = 2

    // `@unchecked`: the decoder is touched only by the thread that took the cursor out of the pool, and the lock of
    // the pool orders one thread's use before the next one's.
    private final class Cursor: @unchecked Sendable {
      let decoder: any FrameDecoding
      /// The frame that costs least.
      var next = 0

      init(_ decoder: any FrameDecoding) { self.decoder = decoder }
    }

    private let data: Data
    private let decoder: any ImageDecoding
    private let options: DecodeOptions
    /// For each frame the last up to it that needs none before.
    let keyFrames: [Int]
    private let idle: Lock<[Cursor]>

    /// `nil` when the coder has no access to frames.
    ///
    /// - Throws: ``ImagingError/limitExceeded(_:value:limit:)`` for the pixels of all frames and for the memory that one
    ///   is predicted to take, of every coder; what it finds wrong.
    init?(
      data: Data, info: ImageInfo, decoder: any ImageDecoding, options: DecodeOptions
    ) throws(ImagingError) {
      try options.checkFrames(of: info, encodedByteCount: data.count)
      guard let first = try decoder.makeFrameDecoder(data, options: options) else { return nil }
      self.data = data
      self.decoder = decoder
      self.options = options
      // Asked once, of the decoder that is there: otherwise playback would read the file again.
      var last = 0
      keyFrames = (0..<first.info.frameCount).map { index in
        if first.isKeyFrame(index) { last = index }
        return last
      }
      idle = Lock([Cursor(first)])
    }

    /// Gives back what is kept to make the next frame cheap.
    func dropIdle() {
      // The canvases are freed outside the lock.
      let dropped = idle.withLock { cursors -> [Cursor] in
        defer { cursors = [] }
        return cursors
      }
      withExtendedLifetime(dropped) {}
    }

    /// A frame as stored, with what its numbers mean.
    func frame(at index: Int, info: ImageInfo) throws(ImagingError) -> Image {
      let cursor = try take(for: index)
      // A cursor that failed is not given back: the state of its canvas is unknown.
      let bitmap = try cursor.decoder.frame(at: index)
      let image = Image(
        bitmap: bitmap, info: info.marked(cursor.decoder.isFrameDamaged ? .damaged : []),
        orientation: info.orientation, isPartial: cursor.decoder.isFramePartial,
        profile: cursor.decoder.profile)
      cursor.next = index + 1
      giveBack(cursor)
      return image
    }

    /// Takes the cursor that is nearest before a frame, otherwise any, otherwise a new one.
    private func take(for index: Int) throws(ImagingError) -> Cursor {
      let found = idle.withLock { cursors -> Cursor? in
        var best: Int?
        for place in cursors.indices where cursors[place].next <= index {
          if best.map({ cursors[$0].next < cursors[place].next }) ?? true { best = place }
        }
        return best.map { cursors.remove(at: $0) }
          ?? (cursors.count < Self.idleLimit ? nil : cursors.removeFirst())
      }
      if let found { return found }
      guard let made = try decoder.makeFrameDecoder(data, options: options) else {
        throw .unsupportedFormat(
          decoder.formats.first ?? ImageFormat(rawValue: "unknown"), reason: "its frames cannot be reached")
      }
      return Cursor(made)
    }

    private func giveBack(_ cursor: Cursor) {
      let surplus = idle.withLock { cursors -> Cursor? in
        cursors.append(cursor)
        return cursors.count > Self.idleLimit ? cursors.removeFirst() : nil
      }
      // The canvases of the one that was used longest ago are freed outside the lock.
      withExtendedLifetime(surplus) {}
    }
  }
}
