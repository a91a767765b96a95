// Node's server, and its client, say what they have understood, as Sources/Report.swift does.
import http from 'node:http'
import readline from 'node:readline'

const hex = text => Buffer.from(text, 'latin1').toString('hex')
const list = raw => {
  const fields = []
  for (let at = 0; at < raw.length; at += 2) fields.push(hex(raw[at].toLowerCase()) + ':' + hex(raw[at + 1]))
  return fields.join(',')
}
const report = (message, first, second, body) =>
  [hex(first), hex(second), hex(message.headers.host ?? ''), list(message.rawHeaders),
    Buffer.concat(body).toString('hex'), list(message.rawTrailers)].join(';')

// Whether requests of a connection have come completely and aren't answered yet.
const waits = socket => socket.requests?.some(([request, response]) => request.complete && !response.writableFinished)

// What ends a connection leaves after the answers to the requests before it.
function endAfterAnswers(socket, text) {
  if (waits(socket)) setImmediate(endAfterAnswers, socket, text)
  else if (socket.writable) socket.end(text)
  else socket.destroy()
}

function serve() {
  const server = http.createServer((request, response) => {
    const body = [];
    (request.socket.requests ??= []).push([request, response])
    request.on('data', part => body.push(part))
    request.on('error', () => {})
    request.on('end', () => {
      response.setHeader('x-report', report(request, request.method, request.url, body))
      response.setHeader('content-length', 0)
      response.end()
    })
  })
  server.httpAllowHalfOpen = true
  server.on('clientError', (error, socket) =>
    endAfterAnswers(socket, `HTTP/1.1 400 ${error.code}\r\nconnection: close\r\n\r\n`))
  server.on('connect', (request, socket) => endAfterAnswers(socket,
    `HTTP/1.1 403 No\r\nx-report: ${report(request, request.method, request.url, [])}\r\ncontent-length: 0\r\n\r\n`))
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
}

async function ask() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [method, url] = line.split(' ')
    console.log(await new Promise(done => {
      const body = []
      const request = http.request(url, { method, agent: false }, answer => {
        answer.on('data', part => body.push(part))
        answer.on('error', error => done('refused ' + error.code))
        answer.on('end', () => done(report(answer, String(answer.statusCode), '', body)))
      })
      request.on('error', error => done('refused ' + error.code))
      request.end()
    }))
  }
}

process.argv[2] === 'server' ? serve() : ask()
