import ReaderFuzzing

private let fuzzing = Result { try ReaderFuzzing() }

/// What libFuzzer calls with every input. A promise that a reader breaks ends the process, which libFuzzer reports with
/// the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        _ = try fuzzing.get().outcome(of: Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}
