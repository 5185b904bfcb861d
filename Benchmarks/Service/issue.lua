-- wrk's requests: every one an issue request of another customer. The environment says the token, the offer, the rest of
-- the body, the number of the first customer and how many there are.
local first = tonumber(os.getenv("BENCH_FIRST"))
local count = tonumber(os.getenv("BENCH_COUNT"))
local threads = tonumber(os.getenv("BENCH_THREADS"))
local path = os.getenv("BENCH_PATH")
local extra = os.getenv("BENCH_EXTRA") or ""
local started = 0

function setup(thread)
  thread:set("place", started)
  started = started + 1
end

function init()
  asked = 0
  headers = {
    ["Authorization"] = "Bearer " .. os.getenv("BENCH_TOKEN"),
    ["Content-Type"] = "application/json",
  }
end

function request()
  -- Neighbours in time are strangers in the file: a stride that shares no factor with the count.
  local customer = first + ((place + asked * threads) * 7919) % count
  asked = asked + 1
  local id = string.format("%.0f", 100000000000 + customer * 64)
  local body = '{"customer":{"originalTransactionId":"' .. id .. '"},' .. extra .. '}'
  return wrk.format("POST", path, headers, body)
end

function done(summary, latency)
  io.write(string.format(
    'RESULT {"requests": %d, "seconds": %.6f, "p50": %.0f, "p90": %.0f, "p99": %.0f, "max": %.0f, "notOk": %d, "socketErrors": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(90), latency:percentile(99),
    latency.max, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
