import ArgumentParser
import Calotype
import FoundationEssentials

/// Transforms of the library and one of our own: `swift run Posterize photo.jpg out.png resize:320x posterize:4`.
@main
struct PosterizeExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Posterize", abstract: "Changes an image by transforms, in order, and writes a PNG.")

  @Argument(help: "The image.")
  var file: String
  @Argument(help: "The PNG to write.")
  var output: String
  @Argument(help: "posterize:LEVELS, or those that `calotype transforms` lists, such as resize:320x240.")
  var transforms = ["posterize"]

  func run() async throws {
    let chain = TransformChain(try transforms.map(TransformNames.transform(parsing:)))
    print("steps: \(chain.transforms.map(\.identity).joined(separator: " → "))")

    let pipeline = ImagePipeline(urls: .trusted)
    let request = ImageRequest(url: URL(filePath: file), transforms: .chain(chain))
    let response = try await pipeline.response(for: request)
    print("\(response.image.width)×\(response.image.height) from \(response.source)")
    try await pipeline.encode(response.image, as: .png).write(to: URL(filePath: output), options: .atomic)
    await pipeline.flush()  // until the result is in the disk cache, for the next run
  }
}
