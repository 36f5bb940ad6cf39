// A connection to a WebSocket on this machine, for texts: Debian's Node has none.
import { randomBytes } from 'node:crypto'
import http from 'node:http'

/// Connects. `send(text)`; `receive(text)` is called for each message that comes.
export function socket(url, receive) {
  return new Promise((done, fail) => {
    const request = http.get(url.replace(/^ws/, 'http'), { headers: { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': randomBytes(16).toString('base64') } })
    request.on('error', fail).on('response', answer => fail(new Error(`${url}: ${answer.statusCode}`)))
    request.on('upgrade', (_, stream, head) => {
      let rest = head, parts = []
      const read = data => {
        rest = Buffer.concat([rest, data])
        while (rest.length >= 2) {
          const short = rest[1] & 127, begin = short < 126 ? 2 : short == 126 ? 4 : 10
          if (rest.length < begin) return
          const size = short < 126 ? short : short == 126 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2))
          if (rest.length < begin + size) return
          const kind = rest[0] & 15, content = rest.subarray(begin, begin + size)
          if (kind < 3) parts.push(content)
          if (kind < 3 && rest[0] & 128) { receive(Buffer.concat(parts).toString()); parts = [] }
          rest = rest.subarray(begin + size)
        }
      }
      stream.on('data', read).on('error', () => {})
      read(Buffer.alloc(0))
      done({ send(text) {
        const content = Buffer.from(text), mask = randomBytes(4), short = content.length < 126, size = Buffer.alloc(short ? 2 : content.length < 65536 ? 4 : 10)
        size.writeUInt16BE(0x8180 | (short ? content.length : size.length == 4 ? 126 : 127))
        if (size.length == 4) size.writeUInt16BE(content.length, 2)
        if (size.length == 10) size.writeBigUInt64BE(BigInt(content.length), 2)
        stream.write(Buffer.concat([size, mask, content.map((byte, index) => byte ^ mask[index & 3])]))
      } })
    })
  })
}
