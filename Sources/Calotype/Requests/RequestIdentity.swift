import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import Crypto
import FoundationEssentials
import HTTPTypes

/// The one place where keys are made.
///
/// Keys are written out in clear text, each part behind its length, so that no two different requests can ever
/// produce the same text. Header fields enter as a digest: they may hold credentials, and keys are kept on disk.
enum RequestIdentity {
  static func keys(
    source: ImageSource, headers: HTTPFields, thumbnail: Thumbnail?, transforms: TransformChain,
    animationTransforms: DecodeOptions.AnimationTransforms, appliesOrientation: Bool, allowsPartial: Bool
  ) -> (source: CacheKey, result: CacheKey) {
    var text: String
    let name: String
    switch source {
    case .url(let url):
      name = url.absoluteString
      text = part("url", name)
    case .data(_, let id):
      name = id
      text = part("data", id)
    }
    if let digest = digest(of: headers) { text += part("headers", digest) }
    let sourceKey = CacheKey(text, source: name)
    if let thumbnail { text += part("thumbnail", describe(thumbnail)) }
    if !transforms.isEmpty {
      text += part("transforms", transforms.identity)
      if animationTransforms == .none { text += part("animations", "untransformed") }
    }
    if !appliesOrientation { text += part("orientation", "stored") }
    if allowsPartial { text += part("partial", "allowed") }
    return (sourceKey, CacheKey(text + part("result", "1"), source: name))
  }

  /// What all sizes of a picture have in common that are fitted into a box, and the box; `nil` when a larger one would show
  /// something else than a smaller one. At full size it fits into any.
  static func rendition(of request: ImageRequest) -> Rendition? {
    guard request.transforms.isEmpty else { return nil }
    var text = request.sourceKey.text
    if !request.appliesOrientation { text += part("orientation", "stored") }
    text += part("family", "1")
    let family = CacheKey(text, source: request.sourceKey.source)
    guard let thumbnail = request.thumbnail else { return Rendition(of: family, width: .max, height: .max) }
    guard thumbnail.mode == .fit else { return nil }
    // A side of 0 is free.
    func side(_ length: Int) -> Int { length == 0 ? .max : length }
    return Rendition(
      of: family, width: side(thumbnail.box.width), height: side(thumbnail.box.height))
  }

  private static func describe(_ thumbnail: Thumbnail) -> String {
    let words = [
      thumbnail.mode.rawValue, "\(thumbnail.box.width)x\(thumbnail.box.height)", thumbnail.filter.rawValue,
      thumbnail.effort.rawValue, "\(thumbnail.anchor)", thumbnail.linearLight ? "linear" : "stored",
    ]
    return words.joined(separator: " ")
  }

  private static func part(_ name: String, _ value: String) -> String {
    "\(name) \(value.utf8.count) \(value)\n"
  }

  /// `nil` when no field is there that makes a difference to the image.
  private static func digest(of headers: HTTPFields) -> String? {
    var headers = headers
    headers[values: .cacheControl] = []
    headers[values: .pragma] = []
    if headers.isEmpty { return nil }
    var hash = SHA256()
    // The order of different fields means nothing; the order of equal names does.
    let fields = headers.enumerated().sorted {
      ($0.element.name.canonicalName, $0.offset) < ($1.element.name.canonicalName, $1.offset)
    }
    for (_, field) in fields {
      hash.update(data: Data(part(field.name.canonicalName, field.value).utf8))
    }
    return hash.finalize().map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }
}
