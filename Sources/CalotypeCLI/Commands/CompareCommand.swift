import ArgumentParser
import Calotype
import CalotypeSupport
import FoundationEssentials
import CalotypeTerminal

struct CompareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Measures how similar an image is to its original.",
    discussion: """
      SSIMULACRA2 is 100 for equal pictures, 90 for differences that nobody sees side by side, 70 for high, 50 for medium and 30 \
      for low quality. DSSIM is the structural dissimilarity of luma, (1 − SSIM) / 2, from 0 for equal pictures. PSNR is in \
      decibels, of red, green and blue. The first frames are compared, upright, in sRGB and 8 bits; their sizes must be equal.
      """)

  @Argument(help: ArgumentHelp("The original: a URL or a file.", valueName: "original"))
  var original: Source

  @Argument(help: ArgumentHelp("The image to measure: a URL or a file.", valueName: "image"))
  var image: Source

  @Option(
    help: ArgumentHelp(
      "Write a picture of the differences of the colours, 8 times as large, in the format of the file's name.",
      valueName: "file"))
  var difference: String?

  @OptionGroup var coders: CoderOptions

  @Flag(help: "One JSON object.")
  var json = false

  func validate() throws {
    if let difference, let refusal = OutputFormat.refusal(ofFileName: difference) {
      throw ValidationError(refusal)
    }
  }

  func run() async throws {
    var configuration = ImagePipeline.Configuration(
      loader: LoaderGroup.standard, memoryCache: nil, diskCache: nil)
    configuration.decoding = coders.decoding
    let pipeline = ImagePipeline(configuration)
    // The source at fault, for the message.
    var source = original
    do {
      let first = try await bitmap(of: original, by: pipeline)
      source = image
      let second = try await bitmap(of: image, by: pipeline)
      guard first.size == second.size else {
        throw CommandError.differentSizes(first.size, second.size)
      }
      let workers = WorkerExecutor(name: "calotype-compare", threads: 1)
      let path = difference
      let report = try await workers.run {
        let quality = try ImageQuality(original: first)
        if let path {
          let picture = Image(bitmap: try quality.difference(to: second))
          let format = OutputFormat(fileName: path)?.imageFormat ?? .png
          let writer = try OutputFileWriter(path, isNamed: true)
          try writer.write(try picture.encoded(as: EncodeOptions(format: format)))
          try writer.commit()
        }
        return try CompareReport(
          original: original.shown, image: image.shown, quality: quality, picture: second, difference: path)
      }
      if json { Output.json(report) } else { report.print() }
    } catch {
      Failure(source: source.shown, error: error).report(asJSON: json)
      throw ExitCode(1)
    }
  }

  private func bitmap(of source: Source, by pipeline: ImagePipeline) async throws -> Bitmap {
    let request = coders.applied(to: ImageRequest(url: try source.url))
    return try await pipeline.image(for: request).bitmap
  }
}
