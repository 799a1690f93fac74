import CalotypeURLs

/// Applies each preset once, and finds the place of each that cannot be applied.
struct PresetValidator {
  /// Most problems that are looked for.
  private static let limit = 32

  private(set) var problems: [SettingsProblem] = []

  init(_ settings: Settings, origins: [String: SettingPlace], failed: Set<String>) {
    let names = ["PRESETS", "PRESETS_PATH", "INFO_PRESETS", "INFO_PRESETS_PATH", "PRESETS_SEPARATOR"]
    guard failed.isDisjoint(with: names) else { return }
    let presets = settings.presets
    func place(_ row: String, _ file: LineFile?, _ line: Int?) -> SettingPlace? {
      file.map { .named(path: $0.path, line: line ?? 0) } ?? origins[row]
    }
    let infoInline = table(presets.infoDefinitions) { place("INFO_PRESETS", nil, $0) }
    let infoFile = table(presets.infoFile.lines) { place("INFO_PRESETS_PATH", presets.infoFile, $0) }
    if let infoInline, let infoFile { checkInfo(settings, infoInline.merging(infoFile), origins) }
    let inline = table(presets.definitions) { place("PRESETS", nil, $0) }
    let file = table(presets.file.lines) { place("PRESETS_PATH", presets.file, $0) }
    guard let inline, let file, var configuration = try? Self.configuration(settings) else { return }

    // A preset that cannot be applied becomes one that can, so that the next is found, too.
    let filler = "cb\(settings.urls.argumentsSeparator)x"
    var replaced: Set<String> = []
    configuration.presets = inline.merging(file)
    while problems.count < Self.limit {
      do throws(ImageURLError) {
        _ = try ImgproxyDialect(configuration)
        return
      } catch {
        guard let name = error.place?.preset ?? Self.preset(of: error, configuration.presets),
          replaced.insert(name).inserted, let harmless = try? PresetTable(["\(name)=\(filler)"])
        else {
          problems.append(
            SettingsProblem(.invalidPreset, at: origins["PRESETS"], "\(error.reason)", remedy: error.remedy))
          return
        }
        let isInFile = file.names.contains(name)
        problems.append(
          SettingsProblem(
            .invalidPreset,
            at: isInFile
              ? place("PRESETS_PATH", presets.file, error.place?.line) : place("PRESETS", nil, nil),
            value: error.place?.text, "the preset \(name) cannot be applied: \(error.reason)",
            remedy: error.remedy))
        configuration.presets = configuration.presets.merging(harmless)
      }
    }
  }

  /// Finds the first preset of `/info`, whose options are others, that cannot be applied.
  private mutating func checkInfo(
    _ settings: Settings, _ presets: PresetTable, _ origins: [String: SettingPlace]
  ) {
    guard var configuration = try? Self.configuration(settings) else { return }
    configuration.presets = presets
    do throws(ImageURLError) {
      _ = try InfoDialect(configuration)
    } catch {
      problems.append(
        SettingsProblem(
          .invalidPreset, at: origins["INFO_PRESETS"] ?? origins["INFO_PRESETS_PATH"],
          value: error.place?.text,
          "the preset \(error.place?.preset ?? "") of /info cannot be applied: \(error.reason)",
          remedy: error.remedy))
    }
  }

  private static func configuration(_ settings: Settings) throws(ImageURLError)
    -> ImgproxyDialect.Configuration
  {
    var settings = settings
    settings.presets = Settings.Presets()
    return try settings.dialect()
  }

  /// The preset at which an error is that has no place within it.
  private static func preset(of error: ImageURLError, _ presets: PresetTable) -> String? {
    guard let text = error.place?.text, presets.names.contains(text) else { return nil }
    return text
  }

  /// The table of definitions, or `nil` and a problem.
  private mutating func table(_ definitions: [String], _ place: (Int?) -> SettingPlace?) -> PresetTable? {
    do throws(ImageURLError) {
      return try PresetTable(definitions)
    } catch {
      problems.append(
        SettingsProblem(
          .invalidPreset, at: place(error.place?.line), value: error.place?.text, error.reason,
          remedy: error.remedy))
      return nil
    }
  }
}
