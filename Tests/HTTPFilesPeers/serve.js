// Serves a directory by serve-static: `node serve.js DIRECTORY`. It prints its port.
const http = require("http")
const serve = require("serve-static")(process.argv[2])
const server = http.createServer((request, response) => serve(request, response, error => {
  response.statusCode = error ? error.statusCode || 500 : 404
  for (const [name, value] of Object.entries((error && error.headers) || {})) response.setHeader(name, value)
  response.end()
}))
server.listen(0, "127.0.0.1", () => console.log(server.address().port))
