extension SettingTable {
  static let security = SettingRows.group(.security) {
    Setting(
      "KEY", \.security.keys, .hexadecimal(lengths: []), .mapPlus,
      "Keys of signatures; the first signs, all verify."
    ).secret().live()
    Setting(
      "SALT", \.security.salts, .hexadecimal(lengths: []), .mapPlus, "Salts of signatures, one for each key."
    ).secret().live()
    Setting(
      "KEY_IDS", \.security.keyIDs, .list(.comma, .token), .own,
      "Names of the keys for logs; without, they are numbered from 1."
    ).live()
    Setting(
      "KEY_VALID_UNTIL", \.security.keyValidity, .times, .own,
      "Until when each key is valid; an empty item is for ever."
    ).live()
    Setting(
      "ALLOW_UNSIGNED", \.security.allowsUnsigned, .flag, .own,
      "Serves URLs without a signature while there are no keys.")
    Setting(
      "ALLOW_SHORT_SIGNATURES", \.security.allowsShortSignatures, .flag, .own,
      "Lets signatures be shorter than 8 bytes."
    ).imgproxy(default: "true")
    Setting(
      "SIGNATURE_SIZE", \.security.signatureSize, .integer(1...32), .mapPlus,
      "Bytes of a signature that are compared.")
    Setting(
      "TRUSTED_SIGNATURES", \.security.trustedSignatures, .list(.comma, .text), .map,
      "Texts that are accepted in the place of a signature."
    ).secret().live()
    Setting(
      "SOURCE_URL_ENCRYPTION_KEY", \.security.sourceKeys, .hexadecimal(lengths: [16, 24, 32]), .mapPlus,
      "Keys that encrypt the URLs of sources; the first encrypts, all decrypt."
    ).secret().live()
    Setting(
      "ALLOWED_SOURCES", \.security.allowedSources, .list(.comma, .text), .mapPlus,
      "Beginnings of sources, `*` being any text without a slash; checked after each redirect.")
    Setting(
      "MAX_REDIRECTS", \.security.maxRedirects, .integer(0...100), .map, "Most redirects of a download.")
    Setting(
      "ALLOW_LOOPBACK_SOURCE_ADDRESSES", \.security.allowsLoopback, .flag, .map,
      "Lets sources have loopback and unspecified addresses.")
    Setting(
      "ALLOW_LINK_LOCAL_SOURCE_ADDRESSES", \.security.allowsLinkLocal, .flag, .map,
      "Lets sources have link-local addresses.")
    Setting(
      "ALLOW_PRIVATE_SOURCE_ADDRESSES", \.security.allowsPrivate, .flag, .map,
      "Lets sources have private addresses."
    ).imgproxy(default: "true")
    Setting(
      "IGNORE_SSL_VERIFICATION", \.security.ignoresCertificates, .flag, .map,
      "Leaves certificates of sources unverified.")
    Setting(
      "ALLOWED_PROCESSING_OPTIONS", \.security.allowedOptions, .list(.comma, .token), .mapPlus,
      "Options that URLs may have; one name allows all spellings of its option.")
    Setting(
      "ALLOWED_INFO_OPTIONS", \.security.allowedInfoOptions, .list(.comma, .token), .mapPlus,
      "Options that URLs of `/info` may have.")
    Setting(
      "ALLOW_SECURITY_OPTIONS", \.security.allowsSecurityOptions, .flag, .map, "Lets URLs change limits.")
    Setting(
      "ALLOW_BYPASS_CACHE", \.security.allowsBypassingCache, .flag, .map, "Lets URLs bypass the cache.")
    Setting(
      "MAX_CHAINED_PIPELINES", \.security.maxPipelines, .integer(0...64), .map,
      "Most pipelines of a URL; 0 for 64."
    ).imgproxy(default: "0")
    Setting(
      "COOKIE_PASSTHROUGH", \.security.passesCookies, .flag, .map,
      "Sends cookies to the source that suit it; cached results then depend on them.")
    Setting(
      "COOKIE_PASSTHROUGH_ALL", \.security.passesAllCookies, .flag, .map,
      "Sends all cookies to the source; cached results then depend on them.")
    Setting(
      "SANDBOX", \.security.sandbox, choice(Settings.Security.Sandbox.self), .own,
      "Formats that are decoded in processes that can do nothing else; `libraries`: AVIF, HEIF, JPEG XL, TIFF and SVG; `none`: HEIF and SVG are not decoded."
    )
    Setting(
      "COOKIE_BASE_URL", \.security.cookieBaseURL, .webURL, .map,
      "The URL for which cookies are assumed to be set; without, that of the request.")
  }
}
