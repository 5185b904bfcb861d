-- wrk's requests: every one a signed transaction that nobody sent before. The environment says the token, a file that chain.py
-- wrote, and how many of its transactions were sent already.
local header, lines

function init()
  lines = io.open(os.getenv("BENCH_SIGNED"), "r")
  header = lines:read("*l")
  for _ = 1, tonumber(os.getenv("BENCH_FIRST")) do lines:read("*l") end
  headers = {
    ["Authorization"] = "Bearer " .. os.getenv("BENCH_TOKEN"),
    ["Content-Type"] = "application/json",
  }
end

function request()
  local signed = lines:read("*l") or "none-is-left.none-is-left"
  return wrk.format(
    "POST", "/v1/transactions", headers, '{"signedTransactions":["' .. header .. "." .. signed .. '"]}')
end

dofile(os.getenv("BENCH_SCRIPTS") .. "/figures.lua")
