extension SettingTable {
  static let presets = SettingRows.group(.presets) {
    Setting(
      "PRESETS_SEPARATOR", \.presets.separator, .text, .map, "The text between the items of the presets."
    ).live()
    Setting(
      "PRESETS", \.presets.definitions, .list(.presets, .definition), .mapPlus,
      "Named sets of options, `name=option/option`; `default` comes before the options of every URL."
    ).live()
    Setting(
      "PRESETS_PATH", \.presets.file, .lineFile, .mapPlus,
      "A file with a preset a line; comments begin with `#`."
    ).live()
    Setting(
      "ONLY_PRESETS", \.presets.only, .flag, .map, "Reads the first segment of a URL as names of presets.")
    Setting(
      "INFO_PRESETS", \.presets.infoDefinitions, .list(.presets, .definition), .mapPlus,
      "Named sets of options of `/info`."
    ).live()
    Setting(
      "INFO_PRESETS_PATH", \.presets.infoFile, .lineFile, .mapPlus, "A file with a preset of `/info` a line."
    ).live()
    Setting(
      "INFO_ONLY_PRESETS", \.presets.infoOnly, .flag, .map,
      "Reads the first segment of a URL of `/info` as names of presets.")
  }

  static let urls = SettingRows.group(.urls) {
    Setting(
      "ARGUMENTS_SEPARATOR", \.urls.argumentsSeparator, .text, .map,
      "The text between the arguments of an option.")
    Setting(
      "BASE_URL", \.urls.baseURL, .text, .map,
      "The text in front of all sources that do not begin with it.")
    Setting(
      "URL_REPLACEMENTS", \.urls.replacements, .pairs(.semicolon), .map,
      "Rules that replace beginnings of sources: `*` in a pattern is `${1}` in its replacement.")
    Setting(
      "BASE64_URL_INCLUDES_FILENAME", \.urls.base64IncludesFilename, .flag, .map,
      "Drops the last of several segments of an encoded source.")
    Setting(
      "SOURCE_URL_QUERY_SEPARATOR", \.urls.querySeparator, .text, .map,
      "The text between the name and the query of a source that is not HTTP; empty: there are no queries."
    ).emptiable()
  }
}
