-- Functions in Swift on Neovim's own event loop; see README.md.
local ffi = require('ffi')

ffi.cdef [[
  typedef void (*example_answer)(uintptr_t token, int32_t code, const uint8_t *bytes, ptrdiff_t count);
  void *example_start(void *loop, example_answer answer, int32_t *code);
  void example_stop(void *plugin, uintptr_t token);
  void example_sleep(void *plugin, uintptr_t token, ptrdiff_t milliseconds);
  void example_read_file(void *plugin, uintptr_t token, const char *path);
  void example_cancel(void *plugin, uintptr_t token);
  int32_t example_serve_echo(void *plugin);
  extern char main_loop[];
  const char *uv_err_name(int code);
]]

local Swift = {}
Swift.__index = Swift

SwiftUV = {}

--- Loads the library, and adopts the editor's loop.
function SwiftUV.open(path)
  local self = setmetatable({ library = ffi.load(path), callbacks = {}, token = 0, pending = 0 }, Swift)
  -- Kept for as long as the library may call it.
  self.answer = ffi.cast('example_answer', function(token, code, bytes, count)
    token = tonumber(token)
    local done = self.callbacks[token]
    self.callbacks[token] = nil
    -- The bytes are the library's, and go when this returns.
    local text = count > 0 and ffi.string(bytes, count) or ''
    local name = code ~= 0 and ffi.string(ffi.C.uv_err_name(code)) or nil
    vim.schedule(function()
      self.pending = self.pending - 1
      done(name, text)
    end)
  end)
  local code = ffi.new('int32_t[1]')
  self.plugin = self.library.example_start(ffi.C.main_loop, self.answer, code)
  if self.plugin == nil then error('swift: code ' .. code[0]) end
  return self
end

function Swift:expect(done)
  self.token = self.token + 1
  self.pending = self.pending + 1
  self.callbacks[self.token] = done
  return self.token
end

--- Calls `done(error)` after a time.
function Swift:sleep(milliseconds, done)
  local token = self:expect(done)
  self.library.example_sleep(self.plugin, token, milliseconds)
  return token
end

--- Calls `done(error, text)` with a file's contents.
function Swift:read_file(path, done)
  local token = self:expect(done)
  self.library.example_read_file(self.plugin, token, path)
  return token
end

--- Ends a call early, with ECANCELED.
function Swift:cancel(token) self.library.example_cancel(self.plugin, token) end

--- Begins an echo server, and returns its port.
function Swift:serve_echo() return self.library.example_serve_echo(self.plugin) end

--- Leaves the loop, and waits for that.
function Swift:close()
  local has_left = false
  self.library.example_stop(self.plugin, self:expect(function() has_left = true end))
  assert(vim.wait(5000, function() return has_left end), 'swift: the loop is not left')
  self.plugin = nil
  self.answer:free()
end
