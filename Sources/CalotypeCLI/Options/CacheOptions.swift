import ArgumentParser
import Calotype
import FoundationEssentials

/// The place of the disk cache.
struct CacheOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Folder of the disk cache. Default: $XDG_CACHE_HOME/calotype or ~/.cache/calotype.", valueName: "dir"))
  var cacheDir: String?

  @Option(
    help: ArgumentHelp("Namespace of the cache, with records and limits of its own.", valueName: "name"))
  var namespace: String?

  var configuration: DiskCache.Configuration {
    var configuration = DiskCache.Configuration(namespace: namespace)
    if let cacheDir { configuration.folder = URL(filePath: cacheDir, directoryHint: .isDirectory) }
    return configuration
  }

  /// The store of partial downloads, beside the records and shared by all namespaces.
  var partials: PartialStore? {
    namespace != nil
      ? nil
      : PartialStore(folder: configuration.folder.appending(path: "partial", directoryHint: .isDirectory))
  }
}
