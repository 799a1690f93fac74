import CalotypeImaging
import CalotypeResults
import FoundationEssentials

/// Text as a drawing, and its pixels.
///
/// No table of widths is at hand: the text is drawn on a canvas that is likely to hold it, on larger ones while it touches an
/// edge, and cut to its ink.
struct MarkupDrawing: Sendable {
  /// The most pixels of a canvas: 4 million.
  static let largest = 4 << 20
  /// The longest side of a canvas.
  static let longestSide = 8192
  /// The share of the size of a font that a line takes.
  private static let lineHeight = 1.2
  /// The predicted time for a pixel, in nanoseconds.
  private static let timePerPixel = 40.0

  private let text: MarkupText
  private let tallest: Double

  init(_ text: MarkupText) {
    self.text = text
    tallest = text.lines.joined().map(\.style.size).max() ?? MarkupStyle.standardSize
  }

  /// The predicted time.
  var milliseconds: Double {
    3 + Double(min(size(margin: tallest / 2).pixelCount, Self.largest)) * Self.timePerPixel / 1e6
  }
  /// The predicted memory: the largest canvas, here and where it is drawn.
  var byteCount: Int { 8 * Self.largest }

  /// Draws the text.
  ///
  /// - Throws: ``Failure`` if SVG is not available, or if the text is too large, or has no ink.
  func bitmap(coders: CoderRegistry) throws -> Bitmap {
    var (margin, canvas) = (tallest / 2, size(margin: tallest / 2))
    while canvas.pixelCount <= Self.largest, max(canvas.width, canvas.height) <= Self.longestSide {
      let bitmap = try drawn(canvas, margin: margin, coders: coders)
      guard let ink = InkBox(bitmap) else {
        throw Failure(
          .unwritableFormat,
          detail: "watermark_text: nothing is drawn; install fonts that have its characters")
      }
      if !ink.touchesEdge(of: canvas) {
        return try TransformChain([
          .crop(.pixels(x: ink.left, y: ink.top, width: ink.size.width, height: ink.size.height))
        ]).apply(to: bitmap)
      }
      margin *= 2
      canvas = size(margin: margin)
      // Margins are a small part of long lines.
      canvas.width += canvas.width / 2
    }
    throw Failure(
      .tooLarge,
      detail:
        "watermark_text: the text needs more than \(Self.largest) pixels, or a side of more than \(Self.longestSide); shorten it, or use a smaller size"
    )
  }

  private func drawn(_ canvas: PixelSize, margin: Double, coders: CoderRegistry) throws -> Bitmap {
    do throws(ImagingError) {
      return try coders.decode(Data(svg(canvas, margin: margin).utf8)).bitmap
    } catch {
      switch error {
      case .unsupportedFormat, .unrecognizedFormat:
        throw Failure(
          .unwritableFormat,
          detail:
            "watermark_text: text is drawn as SVG, which needs librsvg and a sandbox (SANDBOX): \(error)")
      default: throw Failure(error).of("watermark_text")
      }
    }
  }

  private func height(of line: [MarkupText.Run]) -> Double {
    Self.lineHeight * (line.map { $0.style.size + abs($0.style.rise) }.max() ?? MarkupStyle.standardSize)
  }

  /// The likely width of a line: ideographs are as wide as the font is high, most letters of alphabets less than 0.7 of it.
  private func width(of line: [MarkupText.Run]) -> Double {
    line.reduce(0.0) { width, run in
      run.text.unicodeScalars.reduce(width) { $0 + run.style.size * ($1.value < 0x2E80 ? 0.7 : 1) }
    }
  }

  /// The size of a canvas on which most text has room.
  private func size(margin: Double) -> PixelSize {
    let width = text.lines.map { self.width(of: $0) }.max() ?? 0
    let height = text.lines.reduce(0.0) { $0 + self.height(of: $1) }
    // 2,000 characters of 400 pixels are far below the range of numbers.
    return PixelSize(width: Int(width + 2 * margin) + 1, height: Int(height + 2 * margin) + 1)
  }

  /// Returns the drawing of the text.
  func svg(_ canvas: PixelSize, margin: Double) -> String {
    var result =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(canvas.width)\" height=\"\(canvas.height)\">"
    var baseline = margin
    for line in text.lines {
      baseline += height(of: line)
      guard !line.isEmpty else { continue }
      result += "<text font-family=\"sans-serif\" xml:space=\"preserve\" x=\"\(margin)\" y=\"\(baseline)\">"
      var rise = 0.0
      for run in line {
        result += span(run, from: rise)
        rise = run.style.rise
      }
      result += "</text>"
    }
    return result + "</svg>"
  }

  private func span(_ run: MarkupText.Run, from rise: Double) -> String {
    let style = run.style
    var attributes =
      " font-size=\"\(style.size)px\" font-weight=\"\(style.weight)\" font-style=\"\(style.slope)\""
    attributes += " fill=\"\(style.color)\""
    let lines = (style.isUnderlined ? ["underline"] : []) + (style.isStruck ? ["line-through"] : [])
    if !lines.isEmpty { attributes += " text-decoration=\"\(lines.joined(separator: " "))\"" }
    if style.rise != rise { attributes += " dy=\"\(rise - style.rise)\"" }
    return "<tspan\(attributes)>\(XMLEscape.text(run.text))</tspan>"
  }
}
