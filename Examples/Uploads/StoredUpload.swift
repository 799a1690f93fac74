import Calotype
import FoundationEssentials

/// The files of an upload.
struct StoredUpload: Sendable {
  struct File: Sendable {
    /// The name in the folder; safe in URLs.
    let name: String
    let size: PixelSize
    let data: Data
  }

  let original: File
  let thumbnails: [File]
}
