// taskvault-authd on loopback with one checklist, for the screens that need a server.
import { spawn, execFile } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { pause } from './chromium.mjs'

const checklist = { format: 'taskvault-checklist', version: 1, id: 'journey', title: 'Before a journey', summary: 'A week before', picture: 'https://pictures.example.org/journey.jpg',
  items: [{ title: 'Passport', details: 'Valid for six months.' }, { title: 'Tickets', details: '' }] }

/// Starts it in a folder of the home. `url` is its address; `stop()` ends it, `start()` starts it again.
export async function authServer(place) {
  const folder = path.join(place.home, 'authd'), program = path.join(path.resolve(process.env.TASKVAULT_PROGRAMS ?? '.build/release'), 'taskvault-authd')
  fs.mkdirSync(folder, { mode: 0o700 })
  fs.writeFileSync(`${folder}/empty.conf`, '')
  fs.writeFileSync(`${folder}/journey.json`, JSON.stringify(checklist))
  const port = await new Promise(done => { const probe = net.createServer().listen(0, '127.0.0.1', () => { const { port } = probe.address(); probe.close(() => done(port)) }) })
  const env = { PATH: process.env.PATH, HOME: folder, TASKVAULT_AUTHD_DATABASE: `${folder}/accounts.db`, TASKVAULT_AUTHD_CONFIGURATION: `${folder}/empty.conf`,
    TASKVAULT_AUTHD_PASSWORD_PASSES: '2', TASKVAULT_AUTHD_PASSWORD_MEMORY: '19', TASKVAULT_AUTHD_REGISTRATION: 'open' }
  const url = `http://127.0.0.1:${port}`
  let child
  process.on('exit', () => child?.kill('SIGKILL'))
  const server = {
    url,
    async start() {
      child = spawn(program, ['serve', '--listen', `127.0.0.1:${port}`, '--issuer', url], { env, stdio: ['ignore', 'ignore', 'pipe'] })
      let log = ''
      child.stderr.on('data', data => { log += data })
      for (const end = Date.now() + 10000; !log.includes('"event":"started"'); await pause(20)) if (child.exitCode != null || Date.now() > end) throw new Error(`taskvault-authd: ${log}`)
    },
    stop: () => new Promise(done => { child.on('exit', done); child.kill('SIGKILL') }),
  }
  await server.start()
  await promisify(execFile)(program, ['checklist', 'publish', `${folder}/journey.json`], { env })
  return server
}
