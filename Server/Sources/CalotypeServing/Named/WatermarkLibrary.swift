import Calotype
import CalotypeAdmission
import CalotypeCaching
import CalotypeImaging
import CalotypePlanning
import CalotypeResults
import FoundationEssentials

/// The watermarks that URLs name: loads and draws them, and keeps their pixels.
final class WatermarkLibrary: Sendable {
  private let shelf: ImageShelf
  private let pixels: MemoryCache<Bitmap>?
  private let drawings = SharedWork<String, Bitmap>()
  private let pipeline: ImagePipeline
  private let admission: Admission
  /// The pixels of the watermark of the server by its name.
  private let server: [String: Bitmap]

  /// - Parameters:
  ///   - limit: The most watermarks whose pixels are kept.
  ///   - byteLimit: The most bytes of their pixels.
  init(
    limit: Int, byteLimit: Int, shelf: ImageShelf, pipeline: ImagePipeline, admission: Admission,
    server: [String: Bitmap]
  ) {
    pixels = limit > 0 ? MemoryCache(byteLimit: byteLimit, countLimit: limit) : nil
    (self.shelf, self.pipeline, self.admission, self.server) = (shelf, pipeline, admission, server)
  }

  /// The use of the memory for pixels.
  var statistics: MemoryTier.Statistics? { pixels?.statistics }

  /// Returns the watermarks of an order.
  ///
  /// - Parameter deadline: The time of ``Admission/now`` after which the result is of no use.
  /// - Throws: ``Failure``, `AdmissionRefusal`, `CancellationError`.
  func watermarks(of order: ImageOrder, deadline: Duration) async throws -> LoadedWatermarks {
    var loaded = LoadedWatermarks(server: server, library: self)
    let named = order.named
    guard !named.watermarks.isEmpty || !named.texts.isEmpty else { return loaded }
    loaded.own = try await withThrowingTaskGroup(of: (OwnWatermark, LoadedWatermark).self) { [self] group in
      for (text, source) in named.watermarks {
        group.addTask { (.url(text), try await self.image(source, for: order)) }
      }
      for (text, markup) in named.texts {
        group.addTask { (.text(text), try await self.drawing(markup, for: order, deadline: deadline)) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    return loaded
  }

  private func image(_ named: NamedSource, for order: ImageOrder) async throws -> LoadedWatermark {
    let file: ShelvedImage
    do {
      file = try await shelf.image(named, for: order)
    } catch {
      if error is CancellationError || Task.isCancelled { throw CancellationError() }
      throw Failure(error).of("watermark_url")
    }
    let size = file.info.orientation.apply(to: file.info.size)
    if let bitmap = pixels?.value(for: CacheKey(file.id)) {
      return LoadedWatermark(
        image: WatermarkImage(id: file.id, size: size), content: .pixels(bitmap), source: file.source)
    }
    let options = Self.options(for: file.info)
    let duration = options.predictedDuration(for: file.info)
    let cost = PredictedCost(
      milliseconds: duration / .milliseconds(1), byteCount: options.workingByteCount(for: file.info))
    return LoadedWatermark(
      image: WatermarkImage(id: file.id, size: size, decoding: cost), content: .file(file),
      source: file.source)
  }

  /// Returns text as pixels, which are drawn in their own turn: no header says how large text is.
  private func drawing(
    _ markup: MarkupText, for order: ImageOrder, deadline: Duration
  ) async throws -> LoadedWatermark {
    let id = "text-" + SourceBytes.digest(of: Data(markup.source.utf8))
    let key = CacheKey(id)
    let bitmap: Bitmap
    if let known = pixels?.value(for: key) {
      bitmap = known
    } else {
      bitmap = try await drawings.value(for: id) { [self] in
        let work = MarkupDrawing(markup)
        let job = AdmissionJob(
          cost: AdmissionCost(milliseconds: work.milliseconds, byteCount: work.byteCount),
          source: order.source.share, deadline: deadline)
        let ticket = try await admission.admit(job)
        defer { ticket.finish() }
        let coders = pipeline.configuration.coders
        let (bitmap, time) = try await pipeline.compute {
          try WorkTime.measure { try work.bitmap(coders: coders) }
        }
        ticket.finish(actual: time)
        pixels?.store(bitmap, for: key, cost: bitmap.byteCount)
        return bitmap
      }
    }
    return LoadedWatermark(
      image: WatermarkImage(id: id, size: bitmap.size), content: .pixels(bitmap), source: nil)
  }

  /// Keeps pixels that were decoded.
  func keep(_ bitmap: Bitmap, of image: ShelvedImage) {
    guard image.source.isStorable else { return }
    pixels?.store(bitmap, for: CacheKey(image.id), cost: bitmap.byteCount)
  }

  /// The options of the decode of a watermark, whose header was compared with the limits of the server.
  static func options(for info: ImageInfo) -> DecodeOptions {
    var options = DecodeOptions()
    options.limits.maxPixels = max(options.limits.maxPixels, info.size.pixelCount)
    options.limits.maxBytes = .max
    return options
  }
}
