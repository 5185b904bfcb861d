#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

private let fuzzing = Result { try BodyFuzzing() }

/// What libFuzzer calls with every input. A broken promise ends the process, which libFuzzer reports with the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        let fuzzing = try fuzzing.get()
        guard let body = fuzzing.body(of: Array(UnsafeBufferPointer(start: start, count: count))) else { return 0 }
        // The least of twenty: what else the machine does costs processor time too.
        var least = Double.infinity
        for _ in 0..<20 where least > BodyFuzzing.longestMilliseconds {
            let begun = processorSeconds()
            fuzzing.read(body)
            least = min(least, (processorSeconds() - begun) * 1_000)
        }
        if least > BodyFuzzing.longestMilliseconds {
            fatalError("a body of \(body.bytes.count) bytes took \(least) ms of the processor")
        }
    } catch {
        fatalError("\(error)")
    }
    return 0
}

private func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
