import Calotype
import CalotypeSupport
import FoundationEssentials

/// Makes a file of a source: what `get` and `convert` have in common.
struct Rendering: Sendable {
  /// Where the result goes.
  enum Destination: Sendable {
    case file(String)
    /// A folder; the extension follows from the format.
    case folder(String, stem: String)
  }

  /// What was made, for people and machines.
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
    let from: String
    let milliseconds: Double
  }

  let pixels: PixelOptions
  let pipeline: ImagePipeline
  private let files = WorkerExecutor(name: "calotype-files", threads: 2)

  init(pixels: PixelOptions, pipeline: ImagePipeline) {
    self.pixels = pixels
    self.pipeline = pipeline
  }

  func request(for source: Source) throws(CommandError) -> ImageRequest {
    var request = ImageRequest(url: try source.url, thumbnail: pixels.thumbnailRequest)
    request.appliesOrientation = !pixels.asStored
    return request
  }

  func render(
    _ source: Source, to destination: Destination, request: ImageRequest,
    progress: @Sendable (LoadProgress) -> Void = { _ in }
  ) async throws -> Result {
    let start = ContinuousClock.now
    var request = request
    if !pixels.changesPixels {
      let served = try await pipeline.data(for: request)
      let info = try await files.run { try CoderRegistry.standard.probe(served.data) }
      guard let wanted = formatOfName(destination)?.imageFormat, wanted != info.format else {
        return try await copy(served, info, from: source, to: destination, since: start)
      }
      // The name asks for another format than was served.
      request = ImageRequest(source: .data(served.data, id: source.text), cachePolicy: .loaderOnly)
    }
    var response: ImageResponse?
    for try await event in pipeline.events(for: request) {
      switch event {
      case .progress(let value): progress(value)
      case .response(let value): response = value
      }
    }
    guard let response else { throw CancellationError() }
    // As stored means as stored: the encoder would turn a picture that says it has still to be turned.
    let image =
      pixels.asStored ? Image(bitmap: response.image.bitmap, info: response.image.info) : response.image
    let format = pixels.format ?? formatOfName(destination)
    let data: Data
    let written: String
    let fileExtension: String
    if format == .rgba {
      data = image.bitmap.withUnsafeBytes { Data($0) }
      (written, fileExtension) = ("rgba", "rgba")
    } else {
      let options =
        format?.imageFormat.map(pixels.encodeOptions(as:)) ?? pixels.encodeOptions(for: image.info?.format)
      data = try await pipeline.encode(image, as: options)
      (written, fileExtension) = (options.format.rawValue, options.format.fileExtension)
    }
    let path = try await write(data, of: source, to: destination, fileExtension)
    return Result(
      source: source.text, output: path, format: written, width: image.width, height: image.height,
      bytes: data.count, sourceFormat: image.info?.format.rawValue, sourceWidth: image.info?.size.width,
      sourceHeight: image.info?.size.height,
      sourceBytes: response.source == .disk ? nil : response.byteCount, from: response.source.rawValue,
      milliseconds: Formatting.milliseconds(ContinuousClock.now - start))
  }

  /// The bytes as they are served, once it is known that they are an image.
  private func copy(
    _ response: DataResponse, _ info: ImageInfo, from source: Source, to destination: Destination,
    since start: ContinuousClock.Instant
  ) async throws -> Result {
    let path = try await write(response.data, of: source, to: destination, info.format.fileExtension)
    return Result(
      source: source.text, output: path, format: info.format.rawValue, width: info.size.width,
      height: info.size.height, bytes: response.data.count, sourceFormat: info.format.rawValue,
      sourceWidth: info.size.width, sourceHeight: info.size.height, sourceBytes: response.data.count,
      from: response.source.rawValue, milliseconds: Formatting.milliseconds(ContinuousClock.now - start))
  }

  private func write(
    _ data: Data, of source: Source, to destination: Destination, _ fileExtension: String
  ) async throws -> String {
    let path =
      switch destination {
      case .file(let path): path
      case .folder(let folder, let stem): (folder == "." ? "" : folder + "/") + stem + "." + fileExtension
      }
    let original = source.isFile ? try source.url.path : nil
    try await files.run {
      if let original, OutputFile.isSame(original, path) {
        throw CommandError.unwritableOutput(
          path: path, reason: "it is the source itself; choose another name or folder with --output")
      }
      try OutputFile.write(data, to: path)
    }
    return path
  }

  private func formatOfName(_ destination: Destination) -> OutputFormat? {
    if case .file(let path) = destination { OutputFormat(fileName: path) } else { nil }
  }
}
