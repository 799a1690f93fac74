import CLibGIF
import CalotypeImaging
import FoundationEssentials

/// The records of a GIF as read by giflib, without pixels.
struct GIFLibStructure: Sendable {
  /// An image descriptor with the graphic control block before it (GIF89a specification, 20 and 23).
  struct Frame: Sendable {
    var x: Int
    var y: Int
    var size: PixelSize
    var isInterlaced: Bool
    var delay: Int
    var disposal: CompositedFrame.Disposal
    var transparent: UInt8?
  }

  /// The logical screen, enlarged to hold the first frame.
  private(set) var canvas: PixelSize
  /// The frames in stored order, never empty.
  private(set) var frames: [Frame] = []
  /// The error in the file behind the beginning of the last frame.
  private(set) var damage: ImagingError?
  private var plays = 1
  private var control = Control()

  private struct Control {
    var delay = 0
    var disposal = CompositedFrame.Disposal.keep
    var transparent: UInt8?

    init() {}

    /// Reads a graphic control block.
    init(_ block: UnsafeBufferPointer<UInt8>) {
      delay = Int(block[1]) | Int(block[2]) << 8
      switch block[0] >> 2 & 7 {
      case 2: disposal = .clear
      case 3, 4: disposal = .restore
      default: break
      }
      if block[0] & 1 != 0 { transparent = block[3] }
    }
  }

  /// - Throws: The errors of ``GIFLibFile/init(_:)``; `ImagingError.limitExceeded(_:value:limit:)`; the error of the
  ///   first frame.
  init(_ data: Data, limits: DecodeLimits) throws(ImagingError) {
    let file = try GIFLibFile(data)
    canvas = file.screen
    do throws(ImagingError) {
      try read(file, limits)
    } catch {
      switch error {
      case .limitExceeded, .cancelled, .outOfMemory: throw error
      default:
        if frames.isEmpty { throw error }
        damage = error
      }
    }
    guard frames.isEmpty else { return }
    throw .corrupt(.gif, reason: "there is no image in it", offset: data.count)
  }

  private mutating func read(_ file: GIFLibFile, _ limits: DecodeLimits) throws(ImagingError) {
    var count = 0
    while true {
      count &+= 1
      if count & 4095 == 0, Task.isCancelled { throw .cancelled }
      switch try file.next() {
      case .end: return
      case .block:
        var isLoop = false
        try file.readBlock { label, number, block in
          if number == 0 {
            isLoop = Self.isLoop(label, block)
            if label == 0xF9, block.count >= 4 { control = Control(block) }
          } else if isLoop, block.count >= 3, block[0] & 7 == 1 {
            // Other sub-blocks, such as one with a buffer size, may come before it.
            let repeats = Int(block[1]) | Int(block[2]) << 8
            plays = repeats == 0 ? 0 : repeats + 1
            isLoop = false
          }
        }
      case .image:
        // The library stores a palette per frame.
        try limits.check(frameCount: frames.count + 1)
        let image = try file.readDescriptor()
        let frame = Frame(
          x: Int(image.Left), y: Int(image.Top),
          size: PixelSize(width: Int(image.Width), height: Int(image.Height)), isInterlaced: image.Interlace,
          delay: control.delay, disposal: control.disposal, transparent: control.transparent)
        if frames.isEmpty {
          canvas.width = max(canvas.width, frame.x + frame.size.width)
          canvas.height = max(canvas.height, frame.y + frame.size.height)
          try limits.check(size: canvas, format: .gif)
        }
        guard frame.size.pixelCount <= limits.maxPixels else {
          throw .limitExceeded(.pixels, value: frame.size.pixelCount, limit: limits.maxPixels)
        }
        frames.append(frame)
        control = Control()
        try file.skipPixels()
      }
    }
  }

  /// Returns true if the loop block of Netscape 2.0 begins: N repeats after the first play, 0 for ever.
  private static func isLoop(_ label: Int, _ block: UnsafeBufferPointer<UInt8>) -> Bool {
    label == 0xFF && (block.elementsEqual("NETSCAPE2.0".utf8) || block.elementsEqual("ANIMEXTS1.0".utf8))
  }

  /// The information in the records.
  var info: ImageInfo {
    let isAnimated = frames.count > 1
    var info = ImageInfo(
      format: .gif, size: canvas, frameCount: frames.count, loopCount: isAnimated ? plays : 1,
      // 10 ms or less means 100, as in browsers.
      durations: isAnimated ? frames.map { .milliseconds($0.delay <= 1 ? 100 : $0.delay * 10) } : [],
      hasAlpha: frames.contains { $0.transparent != nil })
    info.layout.isKnown = true
    info.layout.needsCanvas = true
    for frame in frames {
      info.layout.frames.add(
        stored: frame.size.pixelCount, on: canvas.pixelCount,
        beside: frame.disposal == .restore ? canvas.pixelCount : 0)
    }
    return info
  }

  /// Returns the part of a frame that is on the canvas.
  func area(of frame: Frame) -> FrameArea {
    FrameArea(x: frame.x, y: frame.y, size: frame.size, clippedTo: canvas)
  }
}
