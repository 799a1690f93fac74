/// The protections that are in force in a sandboxed process.
public struct SandboxPosture: Hashable, Sendable, Codable {
  /// A Boolean value that indicates whether the kernel refuses all system calls but those for memory and the connection
  /// (seccomp).
  public var hasSeccomp: Bool
  /// The version of Landlock, which denies all files and ports as a second barrier; 0 if the kernel has none.
  public var landlockABI: Int
  /// A Boolean value that indicates whether the address space is limited.
  public var hasMemoryLimit: Bool
  /// A Boolean value that indicates whether the program is built with a sanitizer, which works with neither a filter of
  /// system calls nor a limit of memory. For tests only.
  public var isSanitized: Bool
}
