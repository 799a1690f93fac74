import Calotype
import CalotypeSupport

/// An error of the command itself.
enum CommandError: CalotypeError, CustomStringConvertible {
  case unwritableOutput(path: String, reason: String)
  /// A file that is not there.
  case missingFile
  /// A file that is not replaced, because of its kind or its state.
  case untouchedFile(path: String, reason: String)
  case malformedURL(String)
  case refusedFile(String)
  case notRemote
  case lineTooLong(limit: Int)
  /// The folder holds no cache.
  case notACache
  /// An archive cannot be read any further.
  case damagedArchive(reason: String)
  /// An archive cannot be opened or read.
  case unreadableArchive(reason: String)
  /// An entry of an archive is not imported.
  case refusedEntry(reason: String)
  /// Records of an archive do not fit into the cache.
  case cacheFull(records: Int)
  /// A record is not copied.
  case uncopied(reason: String)
  /// Two images cannot be compared.
  case differentSizes(PixelSize, PixelSize)

  var code: String {
    switch self {
    case .unwritableOutput: "unwritableOutput"
    case .missingFile: "fileNotFound"
    case .untouchedFile: "untouchedFile"
    case .malformedURL: "invalidURL"
    case .refusedFile: "addressRefused"
    case .notRemote: "unsupportedScheme"
    case .lineTooLong: "invalidURL"
    case .notACache: "notACache"
    case .damagedArchive: "damagedArchive"
    case .unreadableArchive: "unreadableArchive"
    case .refusedEntry: "refusedEntry"
    case .cacheFull: "cacheFull"
    case .uncopied: "recordNotCopied"
    case .differentSizes: "differentSizes"
    }
  }

  var isRetryable: Bool { false }

  var description: String {
    switch self {
    case .unwritableOutput(let path, let reason): "cannot write \(path): \(reason)"
    case .missingFile: "no such file"
    case .untouchedFile(_, let reason): "left alone: \(reason)"
    case .malformedURL: "not a URL; check for spaces and a missing host"
    case .refusedFile:
      "--public-only refuses file: URLs, and paths in lists; pass the path as an argument if the file is yours"
    case .notRemote: "only http and https URLs can be prefetched"
    case .lineTooLong(let limit): "the line is longer than \(limit) bytes; no URL is"
    case .notACache: "no cache in this folder; check its path"
    case .damagedArchive(let reason): "the archive cannot be read any further: \(reason)"
    case .unreadableArchive(let reason): "the archive cannot be read: \(reason)"
    case .refusedEntry(let reason): "not imported: \(reason)"
    case .cacheFull(let records):
      "no room for \(records == 1 ? "1 record" : "\(records) records") within the limits of the cache; trim it first"
    case .uncopied(let reason): "not copied: \(reason)"
    case .differentSizes(let original, let image):
      "it has \(image) pixels, the original \(original); only pictures of the same size can be compared, so convert one first"
    }
  }
}
