import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Builds the keys of all requests.
///
/// Keys are plain text, each part preceded by its length, so that different requests never produce the same
/// text. Header fields, and URLs with a user name or password, enter as a digest: keys are stored on disk,
/// where they must not disclose credentials.
enum RequestIdentity {
  /// Returns the key of the original.
  static func sourceKey(of request: ImageRequest.Identity) -> CacheKey {
    let (text, name) = source(of: request)
    return CacheKey(text, source: name)
  }

  /// Returns the text of the key of the original, and the name of the source.
  private static func source(of request: ImageRequest.Identity) -> (text: String, name: String) {
    let (label, whole) =
      switch request.source {
      case .url(let url): (request.keyPolicy.label, request.keyPolicy.text(for: url))
      case .data(_, let id): ("data", id)
      case .stream(_, let id): ("stream", id)
      case .provider(let provider): ("provider", provider.id)
      }
    let name = RedactedURL.withoutUsers(whole, isOne: true)
    var text = ""
    // Enough for most keys of results.
    text.reserveCapacity(name.utf8.count + 192)
    append(label, name, to: &text)
    let namesUser = name.utf8.count != whole.utf8.count
    if let digest = digest(of: request, user: namesUser ? whole : nil) {
      append("headers", digest, to: &text)
    }
    if let loader = request.loader {
      append("loader", loader.name, to: &text)
      if let scope = LoaderScope(loader.part) { append("scope", scope.digest, to: &text) }
    } else if let scope = request.scope {
      append("scope", scope.digest, to: &text)
    }
    if let hooks = request.hookBox?.hooks {
      for hook in hooks.parts { append(hook.name, hook.value, to: &text) }
    }
    if request.statuses != .success { append("statuses", request.statuses.identity, to: &text) }
    // The version of a provider is part of its identity, whether or not a loader confirms it.
    if let version = request.version ?? request.source.version { append("version", version, to: &text) }
    if let digest = request.expectedDigest { append("integrity", digest.description, to: &text) }
    return (text, name)
  }

  /// Returns the key of the result.
  static func key(of request: ImageRequest.Identity) -> CacheKey {
    var (text, name) = source(of: request)
    appendForm(of: request, to: &text)
    append("result", "1", to: &text)
    return CacheKey(text, source: name)
  }

  /// Returns the parts of the key that describe the pixels, regardless of their source.
  static func form(of request: ImageRequest) -> String {
    var text = ""
    appendForm(of: request.identity, to: &text)
    return text
  }

  private static func appendForm(of request: ImageRequest.Identity, to text: inout String) {
    if let coders = request.coders { append("coders", coders.name, to: &text) }
    let decoding = request.decoding
    if let hint = decoding.formatHint { append("format", hint.rawValue, to: &text) }
    if let thumbnail = decoding.thumbnail { append("thumbnail", thumbnail.identity, to: &text) }
    if let maxPixels = decoding.maxPixels { append("pixels", String(maxPixels), to: &text) }
    let transforms = decoding.transforms
    if !transforms.isEmpty {
      append("transforms", transforms.identity, to: &text)
      if decoding.animationTransforms != .everyFrame {
        append("animations", decoding.animationTransforms.rawValue, to: &text)
      }
    }
    if request.frames != .first { append("frames", request.frames.rawValue, to: &text) }
    if !decoding.appliesOrientation { append("orientation", "stored", to: &text) }
    // A strict decode accepts no partial image.
    if decoding.allowsPartial, decoding.damage != .strict { append("partial", "allowed", to: &text) }
    appendAppearance(decoding, to: &text)
  }

  /// Returns the common identity of all sizes of an image that are fitted into a box, and the box; `nil`
  /// when a larger image would differ in more than size. The full size has an unlimited box.
  static func sizeVariant(of request: ImageRequest) -> MemoryTier.SizeVariant? {
    let decoding = request.decoding
    guard decoding.transforms.isEmpty, request.frames == .first, decoding.maxPixels == nil else { return nil }
    var text = request.sourceKey.text
    if let coders = request.coders { append("coders", coders.name, to: &text) }
    if let hint = decoding.formatHint { append("format", hint.rawValue, to: &text) }
    if !decoding.appliesOrientation { append("orientation", "stored", to: &text) }
    appendAppearance(decoding, to: &text)
    append("family", "1", to: &text)
    let family = CacheKey(text, source: request.sourceKey.source)
    guard let thumbnail = decoding.thumbnail else {
      return MemoryTier.SizeVariant(of: family, width: .max, height: .max)
    }
    guard thumbnail.mode == .fit else { return nil }
    // A side of 0 is free.
    func side(_ length: Int) -> Int { length == 0 ? .max : length }
    return MemoryTier.SizeVariant(
      of: family, width: side(thumbnail.box.width), height: side(thumbnail.box.height))
  }

  /// Appends the options that change pixels or facts of every size.
  private static func appendAppearance(_ decoding: DecodeOptions, to text: inout String) {
    if decoding.page != 0 { append("page", String(decoding.page), to: &text) }
    if decoding.damage != .tolerate { append("damage", decoding.damage.rawValue, to: &text) }
    if decoding.pixels != .rgba8 { append("samples", decoding.pixels.rawValue, to: &text) }
    if decoding.colors != .sRGB { append("colors", decoding.colors.rawValue, to: &text) }
    if decoding.toneMapping != .sRGB { append("tones", decoding.toneMapping.rawValue, to: &text) }
    if decoding.readsMetadata { append("metadata", "read", to: &text) }
    for (name, value) in decoding.extras.sorted(by: { $0.key < $1.key }) {
      append("extra", name, to: &text)
      append("value", value, to: &text)
    }
  }

  // Appended rather than interpolated: parts are made for every request.
  private static func append(_ name: String, _ value: String, to text: inout String) {
    text += name
    text += " "
    text += String(value.utf8.count)
    text += " "
    text += value
    text += "\n"
  }

  private static func part(_ name: String, _ value: String) -> String {
    var part = ""
    append(name, value, to: &part)
    return part
  }

  /// Returns a digest of all confidential parts that a response may vary on, because keys are stored on
  /// disk; `nil` when there are none.
  ///
  /// - Parameter user: A URL that contains a user name.
  private static func digest(of request: ImageRequest.Identity, user: String?) -> String? {
    var headers = request.headers
    if !headers.isEmpty {
      headers[values: .cacheControl] = []
      headers[values: .pragma] = []
    }
    if headers.isEmpty, request.credential == nil, request.partition == nil, request.fallbacks.isEmpty,
      user == nil
    {
      return nil
    }
    var hash = MessageDigest(.sha256)
    // The order of different fields is insignificant; the order of equal names is not.
    let fields = headers.enumerated().sorted {
      ($0.element.name.canonicalName, $0.offset) < ($1.element.name.canonicalName, $1.offset)
    }
    for (_, field) in fields { hash.update(part(field.name.canonicalName, field.value)) }
    // No name of a field has a space.
    switch request.credential {
    case .basic(let user, let password):
      hash.update(part("basic user", user) + part("basic password", password))
    case .digest(let user, let password):
      hash.update(part("digest user", user) + part("digest password", password))
    case .bearer(let token): hash.update(part("bearer token", token))
    case nil: break
    }
    if let user { hash.update(part("user of", user)) }
    if let partition = request.partition { hash.update(part("whose partition", partition)) }
    for url in request.fallbacks { hash.update(part("or else", url.absoluteString)) }
    return Hex.encode(hash.finalize())
  }
}
