import Glibc

/// Whether the process runs under a sanitizer, whose malloc is another and keeps what is freed.
public enum Sanitizer {
  /// AddressSanitizer or ThreadSanitizer.
  public static let isOn = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil
}
