import CalotypeSupport
import FoundationEssentials

extension AnimatedImage {
  /// A pool of the frame decoders of one animation: each has a position in it, and is used by one thread at a time.
  final class FramePool: Sendable {
    /// The number of idle decoders to keep: one for playback, one for access to other frames.
    static let idleLimit = 2

    // `@unchecked`: only the thread that took the cursor out of the pool uses the decoder, and the lock of the pool
    // orders the uses of different threads.
    private final class Cursor: @unchecked Sendable {
      let decoder: any FrameDecoding
      /// The cheapest frame to decode next.
      var next = 0

      init(_ decoder: any FrameDecoding) { self.decoder = decoder }
    }

    private let data: Data
    private let decoder: any ImageDecoding
    private let options: DecodeOptions
    /// The last independent frame up to each frame.
    let keyFrames: [Int]
    private let idle: Lock<[Cursor]>

    /// Returns `nil` if the coder does not support access to frames.
    ///
    /// - Throws: ``ImagingError/limitExceeded(_:value:limit:)`` for the pixels of all frames and for the predicted
    ///   memory of one, for every coder; the errors of the coder.
    init?(
      data: Data, info: ImageInfo, decoder: any ImageDecoding, options: DecodeOptions
    ) throws(ImagingError) {
      try options.checkFrames(of: info, encodedByteCount: data.count)
      guard let first = try decoder.makeFrameDecoder(data, options: options) else { return nil }
      self.data = data
      self.decoder = decoder
      self.options = options
      // The existing decoder answers once: otherwise playback would read the file again.
      var last = 0
      keyFrames = (0..<first.info.frameCount).map { index in
        if first.isKeyFrame(index) { last = index }
        return last
      }
      idle = Lock([Cursor(first)])
    }

    /// Releases the idle decoders, which make the next frame cheap.
    func dropIdle() {
      // The canvases are freed outside the lock.
      let dropped = idle.withLock { cursors -> [Cursor] in
        defer { cursors = [] }
        return cursors
      }
      withExtendedLifetime(dropped) {}
    }

    /// Returns a frame as stored, with its colour profile.
    func frame(at index: Int, info: ImageInfo) throws(ImagingError) -> Image {
      let cursor = try take(for: index)
      // A cursor that failed is not returned: the state of its canvas is unknown.
      let bitmap = try cursor.decoder.frame(at: index)
      let image = Image(
        bitmap: bitmap, info: info.marked(cursor.decoder.isFrameDamaged ? .damaged : []),
        orientation: decoder.orientation(of: info, options: options),
        isPartial: cursor.decoder.isFramePartial,
        profile: cursor.decoder.profile)
      cursor.next = index + 1
      giveBack(cursor)
      return image
    }

    /// Takes the cursor with the nearest position before a frame, otherwise any, otherwise a new one.
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
      // The canvases of the least recently used cursor are freed outside the lock.
      withExtendedLifetime(surplus) {}
    }
  }
}
