-- Ghost text from Hearth in Neovim 0.7 to 0.11. Newer versions have inline completion built in: see editors.md.
--
--   local hearth = require('hearth')
--   hearth.setup({ cmd = { 'node', '/path/to/hearth/dist/hearth.js', 'lsp', '--stdio' } })
--   vim.keymap.set('i', '<C-l>', hearth.accept)
--   vim.keymap.set('i', '<C-k>', hearth.dismiss)
local M = {}

local namespace = vim.api.nvim_create_namespace('hearth')
local isNew = vim.fn.has('nvim-0.11') == 1 -- clients have methods
local client_id, timer, asked, shown

local options = {
  cmd = { 'node', 'dist/hearth.js', 'lsp', '--stdio' },
  filetypes = { 'python', 'typescript', 'javascript', 'c', 'cpp', 'rust', 'go', 'java', 'lua' },
  -- As in VS Code, without "hearth.". Nobody but you can set the address of a server or the path of a model here.
  settings = {},
  -- Whether suggestions may use code of the other buffers in the working directory.
  sharesOpenDocuments = false,
  debounce_ms = 50,
}

local function client()
  return client_id and vim.lsp.get_client_by_id(client_id)
end

local function hide()
  if shown then vim.api.nvim_buf_clear_namespace(shown.buffer, namespace, 0, -1) end
  shown = nil
end

local function cancel()
  local server = client()
  if asked and server then
    if isNew then server:cancel_request(asked) else server.cancel_request(asked) end
  end
  asked = nil
end

-- The byte in a line for a position of the protocol, which counts UTF-16 code units.
local function byte_of(buffer, position)
  local line = vim.api.nvim_buf_get_lines(buffer, position.line, position.line + 1, false)[1] or ''
  local ok, index = pcall(vim.str_byteindex, line, position.character, true)
  return ok and index or #line
end

local function show(buffer, item)
  local start = item.range.start
  local lines = vim.split(item.insertText, '\n', { plain = true })
  local rest = {}
  for i = 2, #lines do rest[#rest + 1] = { { lines[i], 'Comment' } } end
  local column = byte_of(buffer, start)
  local line = vim.api.nvim_buf_get_lines(buffer, start.line, start.line + 1, false)[1] or ''
  -- Before 0.10 no text can be drawn within a line.
  local where = column == #line and 'overlay' or vim.fn.has('nvim-0.10') == 1 and 'inline' or 'eol'
  vim.api.nvim_buf_set_extmark(buffer, namespace, start.line, column, {
    virt_text = { { lines[1], 'Comment' } },
    virt_text_pos = where,
    virt_lines = #rest > 0 and rest or nil,
  })
  shown = { buffer = buffer, item = item }
end

local function ask()
  cancel()
  local server, buffer = client(), vim.api.nvim_get_current_buf()
  if not server or not vim.lsp.buf_is_attached(buffer, client_id) or vim.fn.mode() ~= 'i' then return end
  local params = vim.lsp.util.make_position_params(0, 'utf-16')
  params.context = { triggerKind = 2 }
  local function place()
    local window = vim.api.nvim_get_current_win()
    return { vim.fn.mode(), window, vim.api.nvim_win_get_cursor(window), vim.api.nvim_buf_get_changedtick(buffer) }
  end
  local before = place()
  local function answered(problem, answer)
    asked = nil
    hide()
    local item = not problem and answer and answer.items and answer.items[1]
    -- An answer may come after the next key already.
    if item and vim.api.nvim_get_current_buf() == buffer and vim.deep_equal(place(), before) then show(buffer, item) end
  end
  local method = 'textDocument/inlineCompletion'
  local _, id
  if isNew then
    _, id = server:request(method, params, answered, buffer)
  else
    _, id = server.request(method, params, answered, buffer)
  end
  asked = id
end

local function ask_soon()
  cancel()
  hide()
  if timer then timer:stop() end
  timer = vim.defer_fn(ask, options.debounce_ms)
end

function M.dismiss()
  cancel()
  hide()
end

function M.accept()
  if not shown then return end
  local buffer, item = shown.buffer, shown.item
  hide()
  local first, last = item.range.start, item.range['end']
  local column = byte_of(buffer, first)
  local lines = vim.split(item.insertText, '\n', { plain = true })
  vim.api.nvim_buf_set_text(buffer, first.line, column, last.line, byte_of(buffer, last), lines)
  vim.api.nvim_win_set_cursor(0, { first.line + #lines, #lines[#lines] + (#lines == 1 and column or 0) })
end

local function attach(buffer)
  if not client() then
    local folder = vim.fn.getcwd()
    local uri = vim.uri_from_fname(folder)
    client_id = vim.lsp.start_client({
      name = 'hearth',
      cmd = options.cmd,
      root_dir = folder,
      workspace_folders = { { uri = uri, name = folder } },
      init_options = {
        settings = options.settings,
        sharesOpenDocuments = options.sharesOpenDocuments,
        -- Hearth may answer early with the beginning of a text, and says when there is more.
        asksAgain = true,
      },
      handlers = { ['hearth/grown'] = ask, ['hearth/status'] = function() end },
    })
  end
  if client_id then vim.lsp.buf_attach_client(buffer, client_id) end
end

function M.setup(given)
  options = vim.tbl_extend('force', options, given or {})
  local group = vim.api.nvim_create_augroup('hearth', {})
  local function on(events, callback, pattern)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback, pattern = pattern })
  end
  on('FileType', function(event) attach(event.buf) end, options.filetypes)
  on({ 'InsertEnter', 'TextChangedI', 'CursorMovedI' }, ask_soon)
  on('InsertLeave', M.dismiss)
end

return M
