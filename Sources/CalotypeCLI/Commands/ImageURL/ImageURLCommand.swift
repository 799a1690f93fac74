import ArgumentParser

struct ImageURLCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "url",
    abstract: "Signs and reads the URLs of image servers: those of imgproxy and calotype-server.",
    discussion: """
      Keys and salts come from CALOTYPE_KEY and CALOTYPE_SALT, from the files that CALOTYPE_KEY_FILE and CALOTYPE_SALT_FILE \
      name, or from the same variables with IMGPROXY_ in front; never from the command line, which all processes see. \
      Several keys are separated by commas: the first one signs. CALOTYPE_SIGNATURE_SIZE shortens signatures.

      calotype-server url does the same with all settings of a server, such as presets, and explains plans.

      Exit status: 0 if a server accepts all URLs, 1 if it refuses one, 2 for wrong usage and unusable keys.
      """,
    subcommands: [ImageURLSignCommand.self, ImageURLParseCommand.self])
}
