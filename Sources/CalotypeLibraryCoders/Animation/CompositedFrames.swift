import CalotypeImaging
import Glibc

/// The position, blending and disposal of a frame.
struct CompositedFrame: Hashable, Sendable {
  /// The disposal of the area before the next frame.
  enum Disposal: Sendable {
    case keep
    case clear
    case restore
  }

  var area: FrameArea
  var disposal: Disposal
  /// A Boolean value that indicates whether previous pixels show through transparent ones.
  var blends: Bool
}

/// A source of the frames of one animation that draws them.
protocol FrameDrawing: AnyObject {
  /// Draws a frame onto a canvas; called for frames in ascending order, with gaps.
  ///
  /// - Parameters:
  ///   - index: The index of the frame.
  ///   - plane: The canvas.
  ///   - blends: Pass true if transparent pixels preserve the canvas.
  ///   - watch: The deadline, which is checked between rows.
  /// - Returns: True if all of its pixels were present.
  func draw(
    _ index: Int, onto plane: PixelPlane, blends: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool
}

/// A compositor of the frames of GIF and APNG, with one canvas, which starts transparent, and a backup while a frame
/// requires one.
final class CompositedFrames: FrameDecoding {
  let info: ImageInfo
  let profile: ColorProfile?
  private(set) var isFramePartial = false

  private let frames: [CompositedFrame]
  private let format: PixelFormat
  private let drawing: any FrameDrawing
  private let clock: DecodeLimits.PassStopwatch
  private let allowsPartial: Bool
  private let canvas: Canvas
  private var backup: Canvas?
  /// The frame on the canvas that is not disposed of yet.
  private var drawn: Int?
  /// The frame that was drawn on an empty canvas.
  private var first = 0
  private var backupIsPartial = false

  /// Memory of a plane, zeros at the beginning.
  private final class Canvas {
    let plane: PixelPlane
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ size: PixelSize, _ format: PixelFormat) throws(ImagingError) {
      let (count, overflow) = size.pixelCount.multipliedReportingOverflow(by: format.bytesPerPixel)
      guard !overflow, let base = calloc(max(1, count), 1) else {
        throw .outOfMemory(byteCount: overflow ? .max : count)
      }
      bytes = UnsafeMutableRawBufferPointer(start: base, count: count)
      plane = PixelPlane(bytes, size: size, bytesPerPixel: format.bytesPerPixel)
    }

    deinit { free(bytes.baseAddress) }
  }

  /// - Throws: `ImagingError.outOfMemory(byteCount:)`.
  init(
    _ frames: [CompositedFrame], info: ImageInfo, profile: ColorProfile?, format: PixelFormat,
    options: DecodeOptions, drawing: any FrameDrawing
  ) throws(ImagingError) {
    (self.frames, self.info, self.profile, self.format) = (frames, info, profile, format)
    self.drawing = drawing
    clock = DecodeLimits.PassStopwatch(options.limits)
    allowsPartial = options.allowsPartial
    canvas = try Canvas(info.size, format)
  }

  func isKeyFrame(_ index: Int) -> Bool {
    index == 0 || (frames.indices.contains(index) && isIndependent(index))
  }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    guard frames.indices.contains(index) else {
      throw .invalidParameter(name: "frame", reason: "\(index) is not one of \(frames.count) frames")
    }
    if drawn != index {
      try clock.run(to: index) { (watch) throws(ImagingError) in
        for next in start(for: index)...index { try draw(next, watch) }
      }
    }
    let isOpaque = !info.hasAlpha && !isFramePartial && frames[index].area.covers(info.size)
    return try Bitmap(size: info.size, format: format) { pixels in
      pixels.copyMemory(from: UnsafeRawBufferPointer(canvas.plane.all))
      return isOpaque
    }
  }

  /// Returns the frame to draw next on the way to `index`; discards the canvas if it is of no use for that.
  private func start(for index: Int) -> Int {
    var start = index
    while start > 0, start - 1 != drawn, !isIndependent(start) { start -= 1 }
    if start == 0 || start - 1 != drawn { drawn = nil }
    return start
  }

  /// Returns true if no pixels of earlier frames are visible in this frame or later. A damaged frame may lack pixels.
  private func isIndependent(_ index: Int) -> Bool {
    let frame = frames[index]
    return !allowsPartial && frame.area.covers(info.size) && !frame.blends && frame.disposal != .restore
  }

  private func draw(_ index: Int, _ watch: DecodeLimits.DeadlineChecker) throws(ImagingError) {
    let plane = canvas.plane
    let frame = frames[index]
    let isFresh = drawn == nil
    if let drawn { dispose(drawn) }
    // An error leaves the canvas between the old and the new state.
    drawn = nil
    if isFresh {
      first = index
      isFramePartial = false
      plane.all.initializeMemory(as: UInt8.self, repeating: 0)
    } else if frame.disposal == .restore {
      let kept: Canvas
      if let backup { kept = backup } else { kept = try Canvas(info.size, format) }
      kept.plane.copy(frame.area, from: plane)
      (backup, backupIsPartial) = (kept, isFramePartial)
    }
    let isWhole = try drawing.draw(index, onto: plane, blends: frame.blends && !isFresh, watch: watch)
    let hides = frame.area.covers(info.size) && !frame.blends
    isFramePartial = !isWhole || (isFramePartial && !hides)
    drawn = index
  }

  private func dispose(_ index: Int) {
    let frame = frames[index]
    switch frame.disposal {
    case .keep: return
    case .restore where index != first:
      if let backup { canvas.plane.copy(frame.area, from: backup.plane) }
      isFramePartial = backupIsPartial
    // The canvas before the first frame was empty.
    case .clear, .restore:
      canvas.plane.clear(frame.area)
      if frame.area.covers(info.size) || frame.disposal == .restore { isFramePartial = false }
    }
  }
}
