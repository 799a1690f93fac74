@testable import CalotypeSettings

/// Two texts for each row of the table: one that changes settings, and one that is refused.
enum RowSample {
  /// Values of single rows that the kind alone does not give.
  private static let special: [String: String] = [
    "ARGUMENTS_SEPARATOR": ";",
    "BIND": "127.0.0.1:9000",
    "CACHE_USE": "fs",
    "FALLBACK_IMAGE_HTTP_CODE": "404",
    "KEY_IDS": "first",
    "KEY_VALID_UNTIL": "2030-01-01T00:00:00Z",
    "NETWORK": "unix",
    "PRESETS": "thumb=w:100",
    "S3_BUCKET_CREDENTIALS": "bucket=id:word-in-confidence",
    "SIGNATURE_SIZE": "20",
    "URL_REPLACEMENTS": "a://*=b://${1}",
  ]

  /// Other settings that a row needs.
  private static let companions: [String: [String: String]] = [
    "CACHE_USE": ["CALOTYPE_CACHE_FS_ROOT": "/cache"],
    "CACHE_S3_ACCESS_KEY_ID": ["CALOTYPE_CACHE_S3_SECRET_ACCESS_KEY": "x"],
    "CACHE_S3_SECRET_ACCESS_KEY": ["CALOTYPE_CACHE_S3_ACCESS_KEY_ID": "x"],
    "KEY": ["CALOTYPE_SALT": key], "SALT": ["CALOTYPE_KEY": key],
    "KEY_IDS": ["CALOTYPE_KEY": key, "CALOTYPE_SALT": key],
    "KEY_VALID_UNTIL": ["CALOTYPE_KEY": key, "CALOTYPE_SALT": key],
    "NETWORK": ["CALOTYPE_BIND": "/run/socket"],
    "OPEN_TELEMETRY_CLIENT_CERT": ["CALOTYPE_OPEN_TELEMETRY_CLIENT_KEY": "x"],
    "OPEN_TELEMETRY_CLIENT_KEY": ["CALOTYPE_OPEN_TELEMETRY_CLIENT_CERT": "x"],
    "PLAYGROUND": ["CALOTYPE_SECRET": "word-in-confidence"],
    "S3_ACCESS_KEY_ID": ["CALOTYPE_S3_SECRET_ACCESS_KEY": "x"],
    "S3_SECRET_ACCESS_KEY": ["CALOTYPE_S3_ACCESS_KEY_ID": "x"],
  ]

  static let key = "0123456789abcdef0123456789abcdef"

  static func environment(_ row: Setting) -> [String: String] {
    var environment = companions[row.name] ?? [:]
    if row.name != "ALLOW_UNSIGNED" { environment["CALOTYPE_ALLOW_UNSIGNED"] = "1" }
    return environment
  }

  /// The files that all rows may name.
  static let files = MemoryFiles([
    "/presets": "# none\nfile=cb:x\n", "/empty.toml": "", "/empty.env": "",
  ])

  /// A value that is not the default.
  static func text(_ row: Setting) -> String {
    if let text = special[row.name] { return text }
    let standard = row.text(in: Settings())
    switch row.kind {
    case .flag: return standard == "true" ? "false" : "true"
    case .integer(let range):
      let number = Int(standard) ?? range.lowerBound
      return String(number < range.upperBound ? number + 1 : number - 1)
    case .byteCount: return "5MiB"
    case .real(let range, _): return String(range.upperBound / 4)
    case .megapixels: return "12.5"
    case .duration: return row.name == "DOWNLOAD_TIMEOUT" ? "4" : "17"
    case .text: return "some-text"
    case .lines: return "some lines"
    case .path:
      return row.name == "CONFIG" ? "/empty.toml" : row.name == "ENV_FILE" ? "/empty.env" : "/some/path"
    case .lineFile: return "/presets"
    case .urlPath: return "/some/path"
    case .url, .webURL: return "https://example.com/a"
    case .base64: return "aGVsbG8="
    case .choice(let names): return names.first { $0 != standard && !$0.isEmpty } ?? ""
    case .list(_, .definition): return "name=cb:x"
    case .list(_, .origin): return "https://example.com"
    case .list: return "one"
    case .pairs, .headers: return "one=other"
    case .formats: return "webp"
    case .qualities: return "avif=62"
    case .hexadecimal: return key
    case .time: return "2026-01-31T12:00:00Z"
    case .times: return "2026-01-31T12:00:00Z,"
    case .address: return "127.0.0.1:9100"
    case .networks: return "10.0.0.0/8"
    }
  }

  /// A value that no row of the kind accepts.
  static func refused(_ row: Setting) -> String {
    switch row.kind {
    case .flag: "maybe"
    case .integer, .byteCount, .real, .megapixels, .duration: "-1"
    case .choice: "no-such-word"
    case .lineFile: "/no/such/file"
    case .url, .webURL: "not a URL"
    case .base64: "*"
    case .list(_, .definition): "no-equals-sign"
    case .list(_, .origin): "example.com/"
    case .list(_, .token): "two words"
    case .pairs, .headers: "no-equals-sign"
    case .formats, .qualities: "docx"
    case .hexadecimal: "abc"
    case .time, .times: "yesterday"
    case .address: "nowhere"
    case .networks: "10.0.0.0/99"
    // All texts but those with control characters.
    case .text, .lines, .path, .urlPath, .list: "a\u{1}b"
    }
  }
}
