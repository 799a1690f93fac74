import ArgumentParser
import Calotype
import CalotypeLibraryCoders

/// The choice of decoders.
struct CoderOptions: ParsableArguments {
  /// The values of `--coders`.
  enum Choice: String, CaseIterable, ExpressibleByArgument {
    case standard, libraries
  }

  @Option(
    name: .customLong("coders"),
    help: ArgumentHelp(
      "Decoders: standard, or libraries for libspng, giflib, TurboJPEG and libwebp only (slower, no previews).",
      valueName: "coders"))
  var choice: Choice = .standard

  /// The coders for decoding outside of the pipeline.
  var registry: CoderRegistry { choice == .libraries ? .libraries : .standard }

  /// Returns `request` with these coders, whose name is part of its keys: results of other coders are not
  /// found in the caches.
  func applied(to request: ImageRequest) -> ImageRequest {
    guard choice != .standard else { return request }
    var request = request
    request.coders = ImageRequest.Identified(choice.rawValue, registry)
    return request
  }
}
