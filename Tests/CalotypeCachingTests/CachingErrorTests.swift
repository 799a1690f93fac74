import CalotypeCaching
import Testing

@Suite struct CachingErrorTests {
  @Test(arguments: [false, true]) func failuresOfOtherKindsTellWhatTheyAre(isRetryable: Bool) {
    let error = CachingError.failed(operation: "PUT", reason: "503 Slow Down", isRetryable: isRetryable)
    #expect(error.code == "cacheFailed")
    #expect(error.isRetryable == isRetryable)
    #expect(error.description == "PUT failed: 503 Slow Down")
  }
}
