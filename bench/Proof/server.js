// Answers by HTTP, and does a known number of turns of a loop for each request: `node server.js TURNS`. One request in a hundred
// waits for the milliseconds of the variable DELAY first.
const { createServer } = require('node:http')
const turns = Number(process.argv[2] ?? 0)
const delay = Number(process.env.DELAY ?? 0)
createServer((request, response) => {
  let sum = 0
  for (let turn = 0; turn < turns; turn++) sum = (sum * 31 + turn) | 0
  response.setHeader('x-sum', sum === 1 ? 'one' : 'other')
  if (delay && Math.random() < 0.01) setTimeout(() => response.end('hello'), delay)
  else response.end('hello')
}).listen(process.env.PORT, '127.0.0.1')
