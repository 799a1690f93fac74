package import Calotype

/// The report of `show` on one image.
package struct ShowReport {
  /// For machines.
  package struct Line: Encodable {
    let source: String
    let `protocol`: String
    let format: String?
    /// Of the source, upright.
    let width: Int?
    let height: Int?
    let columns: Int
    let rows: Int
    let frames: Int
    /// Times an animation was to play: 0 for ever.
    let plays: Int
    let previews: Int
    let from: String
    let bytes: Int?
    let milliseconds: Double
  }

  private let source: String
  private let response: ImageResponse
  private let stage: ShowStage
  private let duration: Duration

  package init(_ source: String, _ response: ImageResponse, _ stage: ShowStage, duration: Duration) {
    self.source = source
    self.response = response
    self.stage = stage
    self.duration = duration
  }

  private var size: PixelSize? {
    response.image.info.map { $0.orientation.apply(to: $0.size) }
  }

  /// `4608×2592 · jpeg · 1.2 MB`.
  package var caption: String {
    var parts: [String] = []
    if let size { parts.append("\(size)") }
    if let info = response.image.info { parts.append(info.format.rawValue) }
    if let animation = response.animation { parts.append(Formatting.count(animation.frameCount, "frame")) }
    if let bytes = response.byteCount { parts.append(Formatting.bytes(bytes)) }
    return parts.joined(separator: " · ")
  }

  package func line(plays: Int) -> Line {
    Line(
      source: source, protocol: stage.terminal.encoder.graphics.rawValue,
      format: response.image.info?.format.rawValue, width: size?.width, height: size?.height,
      columns: stage.cells.columns, rows: stage.cells.rows, frames: response.animation?.frameCount ?? 1,
      plays: plays, previews: stage.previews, from: response.source.rawValue, bytes: response.byteCount,
      milliseconds: Formatting.milliseconds(duration))
  }
}
