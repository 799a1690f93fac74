import ArgumentParser
import Calotype
import FoundationEssentials

/// Where the disk cache is.
struct CacheOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Folder of the disk cache. Default: $XDG_CACHE_HOME/calotype or ~/.cache/calotype.", valueName: "dir"))
  var cacheDir: String?

  var configuration: DiskCache.Configuration {
    var configuration = DiskCache.Configuration()
    if let cacheDir { configuration.folder = URL(filePath: cacheDir, directoryHint: .isDirectory) }
    return configuration
  }

  /// Parts of downloads that broke off, beside the records.
  var partials: PartialStore {
    PartialStore(folder: configuration.folder.appending(path: "partial", directoryHint: .isDirectory))
  }
}
