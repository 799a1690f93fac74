extension SettingTable {
  static let limits = SettingRows.group(.limits) {
    Setting(
      "MAX_SRC_RESOLUTION", \.limits.sourcePixels, .megapixels, .map,
      "Largest source, all its frames together.")
    Setting(
      "MAX_SRC_FILE_SIZE", \.limits.sourceBytes, .byteCount, .mapPlus,
      "Largest file of a source; 0 for 1 GiB."
    ).imgproxy(default: "0")
    Setting(
      "MAX_ANIMATION_FRAMES", \.limits.animationFrames, .integer(1...65_536), .map,
      "Most frames of an animation; the rest is dropped.")
    Setting(
      "MAX_ANIMATION_FRAME_RESOLUTION", \.limits.framePixels, .megapixels, .map,
      "Largest frame of an animation; 0: the sum of its frames is limited as a source is.")
    Setting(
      "MAX_RESULT_DIMENSION", \.limits.resultDimension, .integer(0...1_000_000), .map,
      "Longest side of a result in pixels, to which it is scaled down; 0 for no limit.")
    Setting(
      "MAX_RESULT_RESOLUTION", \.limits.resultPixels, .megapixels, .own,
      "Largest result, and picture on the way to it; larger ones are refused; 0 for 100 megapixels.")
    Setting("PNG_UNLIMITED", \.limits.unlimitedPNG, .flag, .map, "Turns the decoder's own limits of PNG off.")
    Setting("SVG_UNLIMITED", \.limits.unlimitedSVG, .flag, .map, "Turns the decoder's own limits of SVG off.")
    Setting(
      "TIFF_UNLIMITED", \.limits.unlimitedTIFF, .flag, .map, "Turns the decoder's own limits of TIFF off.")
    Setting(
      "SANITIZE_SVG", \.limits.sanitizesSVG, .flag, .mapPlus,
      "Refuses to pass SVG on, because nothing removes its scripts yet; off: passes it on as it is.")
    Setting(
      "MAX_DECODED_SIZE", \.limits.decodedBytes, .byteCount, .own,
      "Most bytes of decoded pixels at once, of which one decode has at most 1 GiB; 0 for two fifths of the memory, at most 1 GiB."
    )
    Setting(
      "MAX_URL_LENGTH", \.limits.urlBytes, .integer(256...1 << 20), .own, "Most bytes of a request target.")
    Setting("MAX_URL_OPTIONS", \.limits.urlOptions, .integer(1...4096), .own, "Most options of a URL.")
    Setting(
      "MAX_PRESET_DEPTH", \.limits.presetDepth, .integer(1...64), .own, "Most presets that name each other.")
  }

  static let concurrency = SettingRows.group(.concurrency) {
    Setting(
      "WORKERS", \.concurrency.workers, .integer(0...1024), .mapPlus,
      "Threads that decode and encode; 0 for one a core. Downloads need none."
    ).alias(SettingAlias("IMGPROXY_CONCURRENCY", deprecated: "it is an old name"))
    Setting(
      "REQUESTS_QUEUE_SIZE", \.concurrency.queueSize, .integer(0...1_000_000), .mapPlus,
      "Most requests that wait for a worker, beyond which the answer is 429; 0: `MAX_QUEUE_TIME` decides.")
    Setting(
      "MAX_QUEUE_TIME", \.concurrency.queueTime, .duration, .own,
      "Most predicted wait of a request, beyond which the answer is 503; no source is loaded beyond half of it; 0 for no limit."
    ).imgproxy(default: "0")
    Setting("MAX_DOWNLOADS", \.concurrency.downloads, .integer(1...65_536), .own, "Most downloads at once.")
    Setting(
      "MAX_DOWNLOADS_PER_HOST", \.concurrency.downloadsPerHost, .integer(1...65_536), .own,
      "Most downloads from one host at once.")
    Setting(
      "STEP_DOWN_FORMATS", \.concurrency.stepsDownFormats, .flag, .own,
      "Lets a chosen format be a cheaper one while much work waits."
    ).imgproxy(default: "false")
  }

  static let httpCache = SettingRows.group(.httpCache) {
    Setting("TTL", \.httpCache.lifetime, .duration, .map, "How long results are fresh.")
    Setting(
      "CACHE_CONTROL_PASSTHROUGH", \.httpCache.passesCacheControl, .flag, .mapPlus,
      "Lets results be as fresh as their source, by RFC 9111.")
    Setting(
      "FALLBACK_IMAGE_TTL", \.httpCache.fallbackLifetime, .duration, .map,
      "How long the fallback image is fresh; 0: as results are.")
    Setting(
      "NOT_FOUND_TTL", \.httpCache.notFoundLifetime, .duration, .own,
      "How long the answer that there is no source is fresh."
    ).imgproxy(default: "0")
    Setting(
      "STALE_WHILE_REVALIDATE", \.httpCache.staleWhileRevalidate, .duration, .own,
      "How long a stale result may be sent while it is made anew."
    ).imgproxy(default: "0")
    Setting(
      "USE_ETAG", \.httpCache.setsETag, .flag, .mapPlus, "Sends an `ETag`, another one for each variant.")
    Setting(
      "ETAG_BUSTER", \.httpCache.etagBuster, .text, .map, "A text whose change invalidates every `ETag`.")
    Setting("USE_LAST_MODIFIED", \.httpCache.setsLastModified, .flag, .map, "Sends `Last-Modified`.")
    Setting(
      "LAST_MODIFIED_BUSTER", \.httpCache.lastModifiedBuster, .time, .map, "The least `Last-Modified`.")
  }
}
