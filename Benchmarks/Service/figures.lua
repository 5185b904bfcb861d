-- What wrk.py reads of a run.
function done(summary, latency)
  io.write(string.format(
    'RESULT {"requests": %d, "seconds": %.6f, "p50": %.0f, "p90": %.0f, "p99": %.0f, "p999": %.0f, "max": %.0f, ' ..
    '"notOk": %d, "socketErrors": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(90), latency:percentile(99),
    latency:percentile(99.9), latency.max, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
