// cold-start on Node.js: an echo server, by the contract in ../README.md.
import net from 'node:net';

const server = net.createServer((socket) => socket.on('data', (chunk) => socket.write(chunk)));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
