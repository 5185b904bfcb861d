#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The leak sanitizer does not see the pointers of indirect cases, which have tags in them, and would report the
/// catalog.
private let fuzzing: Result<DecisionFuzzing, any Error> = {
    ignoreAllocations()
    defer { reportAllocations() }
    return Result { try DecisionFuzzing() }
}()

@_silgen_name("__lsan_disable")
private func ignoreAllocations()

@_silgen_name("__lsan_enable")
private func reportAllocations()

/// What libFuzzer calls with every input. A broken promise ends the process, which libFuzzer reports with the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let begun = processorSeconds()
    do {
        try fuzzing.get().deliver(Array(UnsafeBufferPointer(start: start, count: count)))
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
