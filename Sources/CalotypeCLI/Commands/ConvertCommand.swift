import ArgumentParser
import Calotype
import FoundationEssentials
import CalotypeTerminal

struct ConvertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Converts one image: another format, a thumbnail, upright.",
    discussion: """
      The format follows the extension of OUT unless --format says it. Of an animation, formats that hold one picture \
      (jpeg, rgba, and png unless the source is an animated png) get the first frame: a warning says so on standard \
      error, and droppedFrames with --json.
      """)

  @Argument(help: ArgumentHelp("A URL or a file.", valueName: "in"))
  var input: Source

  @Argument(help: ArgumentHelp("The file to write.", valueName: "out"))
  var output: String

  @OptionGroup var pixels: PixelOptions
  @OptionGroup var coders: CoderOptions

  @Flag(help: "One JSON object.")
  var json = false

  func validate() throws {
    guard pixels.format != nil || OutputFormat(fileName: output) != nil else {
      throw ValidationError("\(output) does not tell the format; add --format: \(OutputFormat.list).")
    }
  }

  func run() async throws {
    let pipeline = ImagePipeline(.init(loader: LoaderGroup.standard, memoryCache: nil, diskCache: nil))
    let rendering = Rendering(pixels: pixels, pipeline: pipeline, coders: coders, decodesCopies: true)
    do {
      let result = try await rendering.render(
        input, to: .file(output), request: try rendering.request(for: input))
      if json { Output.json(result) }
      if let warning = result.warning { Output.error("calotype: \(input.shown): \(warning)") }
    } catch {
      Failure(source: input.shown, error: error).report(asJSON: json)
      throw ExitCode(1)
    }
  }
}
