import ReaderFuzzing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

private let fuzzing = Result { try ReaderFuzzing() }

/// What libFuzzer calls with every input. A broken promise ends the process, which libFuzzer reports with the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let begun = processorSeconds()
    do {
        _ = try fuzzing.get().outcome(of: Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(error)")
    }
    let taken = processorSeconds() - begun
    if taken > 1 { fatalError("the input took \(taken) s of the processor") }
    return 0
}

private func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
