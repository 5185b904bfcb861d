-- wrk's requests: every one of another customer. The environment says the token, the path, the rest of the body, the number of
-- the first customer, how many there are, and how far apart their ids are.
local first = tonumber(os.getenv("BENCH_FIRST"))
local count = tonumber(os.getenv("BENCH_COUNT"))
local threads = tonumber(os.getenv("BENCH_THREADS"))
local path = os.getenv("BENCH_PATH")
local stride = tonumber(os.getenv("BENCH_STRIDE") or "64")
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
  local id = string.format("%.0f", 100000000000 + customer * stride)
  local body = '{"customer":{"originalTransactionId":"' .. id .. '"},' .. extra .. '}'
  return wrk.format("POST", path, headers, body)
end

dofile(os.getenv("BENCH_SCRIPTS") .. "/figures.lua")
