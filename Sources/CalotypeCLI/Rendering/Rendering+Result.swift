import Calotype
import CalotypeTerminal

extension Rendering {
  /// The result, as text and as JSON.
  struct Result: Encodable, Sendable {
    let source: String
    let output: String
    let format: String
    let width: Int
    let height: Int
    let bytes: Int
    let sourceFormat: String?
    let sourceWidth: Int?
    let sourceHeight: Int?
    let sourceBytes: Int?
    /// The number of frames that the output omits without an explicit option; absent if there are none.
    let droppedFrames: Int?
    /// The number of pages that the output omits without an explicit option; absent if there are none.
    let droppedPages: Int?
    /// Whether the source is damaged; absent if its bytes were copied without decoding.
    let isDamaged: Bool?
    /// Present if the file had the same contents, and was left as it is.
    let unchanged: Bool?
    let from: String
    let milliseconds: Double

    init(_ product: Product, source: Source, output: String, isUnchanged: Bool, duration: Duration) {
      self.source = source.shown
      self.output = output
      format = product.format
      (width, height) = (product.size.width, product.size.height)
      bytes = product.data.count
      sourceFormat = product.info?.format.rawValue
      (sourceWidth, sourceHeight) = (product.info?.size.width, product.info?.size.height)
      sourceBytes = product.sourceBytes
      droppedFrames = product.droppedFrames
      droppedPages = product.droppedPages
      isDamaged = product.isDamaged
      unchanged = isUnchanged ? true : nil
      from = product.origin.rawValue
      milliseconds = Formatting.milliseconds(duration)
    }

    /// The warning about dropped frames or pages.
    var warning: String? {
      if let droppedPages {
        return
          "only the first of \(droppedPages + 1) pages was written; add --page 1 for the next one, or"
          + " --page 0 for this one"
      }
      return droppedFrames.map { dropped in
        "only the first of \(dropped + 1) frames was written, because \(format) holds one; to keep them, write"
          + " one of \(OutputFormat.animatedList), or add --first-frame"
      }
    }
  }
}
