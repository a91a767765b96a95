-- nvim --headless -u NONE --cmd 'let g:library = "…"' -c 'luafile swift_uv.lua' -c 'luafile test.lua'
local function expect(found, wanted, what)
  if not vim.deep_equal(found, wanted) then
    error(what .. ': ' .. vim.inspect(found) .. ' instead of ' .. vim.inspect(wanted))
  end
end

local tests = {}

function tests.tasks_end_in_the_order_of_their_times(swift)
  local order = {}
  for _, n in ipairs { 3, 1, 2 } do swift:sleep(n * 20, function() table.insert(order, n) end) end
  vim.wait(5000, function() return #order == 3 end)
  expect(order, { 1, 2, 3 }, 'order')
end

function tests.files_and_errors(swift)
  local found = {}
  swift:read_file('/etc/hostname', function(_, text) found.text = text end)
  swift:read_file('/nowhere', function(name) found.name = name end)
  vim.wait(5000, function() return found.text and found.name end)
  expect(found.text, table.concat(vim.fn.readfile('/etc/hostname', 'b'), '\n'), 'text')
  expect(found.name, 'ENOENT', 'error')
end

function tests.cancelling(swift)
  local found
  local token = swift:sleep(1e9, function(name) found = name end)
  swift:cancel(token)
  vim.wait(5000, function() return found end)
  expect(found, 'ECANCELED', 'error')
end

function tests.a_server_in_swift_and_a_client_of_the_editor(swift)
  local port, text = swift:serve_echo(), ''
  local client = vim.loop.new_tcp()
  client:connect('127.0.0.1', port, function(err)
    assert(not err, err)
    client:read_start(function(_, chunk)
      if chunk then text = text .. chunk else client:close() end
    end)
    client:write('hello')
    client:shutdown()
  end)
  vim.wait(5000, function() return client:is_closing() end)
  expect(text, 'hello', 'echo')
end

function tests.many_calls(swift)
  local count = 0
  for _ = 1, 5000 do swift:sleep(0, function() count = count + 1 end) end
  vim.wait(10000, function() return count == 5000 end)
  expect(count, 5000, 'calls')
end

local failed = 0
for name, test in pairs(tests) do
  local swift = SwiftUV.open(vim.g.library)
  local ok, problem = pcall(test, swift)
  swift:close()
  if not ok then
    failed = failed + 1
    io.stdout:write('not ok ' .. name .. ': ' .. problem .. '\n')
  else
    io.stdout:write('ok ' .. name .. '\n')
  end
end
io.stdout:write((vim.tbl_count(tests) - failed) .. ' passed, ' .. failed .. ' failed\n')
vim.cmd(failed == 0 and 'qa!' or 'cquit')
