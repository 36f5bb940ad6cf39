// origins.mjs: browsers that met another user's server at the page's port, at the fixed host and at the host of an earlier start. It left a Service Worker, a script in
// the cache, and cookies for the domain. Neither runs in the page of a later start, at the origins where they were left they do; and the page opens with the cookies.
import http from 'node:http'
import { firefox } from './bidi.mjs'
import { chromium } from './chromium.mjs'
import { expect, world } from './world.mjs'

const worker = `addEventListener('install', () => skipWaiting())
addEventListener('activate', event => event.waitUntil(clients.claim()))
addEventListener('fetch', event => { if (event.request.mode == 'navigate') event.respondWith(new Response('<!doctype html><title>x</title>taken over', { headers: { 'Content-Type': 'text/html' } })) })`
const left = `<!doctype html><title>x</title><script type=module>
await import('/server.js')
for (let set = 0; set < 5; set++) await fetch('/cookies' + set)
await navigator.serviceWorker.register('/worker.js')
await navigator.serviceWorker.ready
document.body.innerText = 'left'
</script>`

/// A proxy that answers for each host and port itself, as a server does that had the port before. The browser asks it for every address.
async function attacker() {
  // As many as a browser keeps for a domain, in answers whose heads Chromium accepts.
  const server = http.createServer({ maxHeaderSize: 1 << 20 }, (request, answer) => {
    const { pathname } = new URL(request.url, 'http://x')
    const [, set] = /^\/cookies(\d)$/.exec(pathname) ?? []
    if (set) answer.setHeader('Set-Cookie', Array.from({ length: 45 }, (_, number) => `c${set}${number}=${'x'.repeat(4090)}; Domain=taskvault.localhost; Path=/; Max-Age=9999999`))
    answer.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    answer.setHeader('Content-Type', pathname.endsWith('.js') ? 'text/javascript' : 'text/html')
    answer.end({ '/worker.js': worker, '/server.js': 'globalThis.taken = true' }[pathname] ?? left)
  }).listen(0, '127.0.0.1')
  await new Promise(done => server.on('listening', done))
  return { port: server.address().port, close: () => { server.closeAllConnections(); server.close() } }
}

/// How to start a browser with and without a proxy, so that each gives `page` and `close`.
const browsers = {
  async Chromium(profile, proxy) {
    const browser = await chromium({ profile, more: proxy ? [`--proxy-server=http://127.0.0.1:${proxy}`, '--proxy-bypass-list=<-loopback>'] : [] })
    return { page: await browser.page(), profile: browser.profile, close: browser.close }
  },
  Firefox: (profile, proxy) => firefox({ profile, preferences: {
    'network.proxy.type': proxy ? 1 : 0, 'network.proxy.http': '127.0.0.1', 'network.proxy.http_port': proxy ?? 0, 'network.proxy.allow_hijacking_localhost': true } }),
}

const place = world()
let failed = 0
try {
  for (const [name, start] of Object.entries(browsers)) try {
    const earlier = new URL(await place.url()), url = new URL(await place.url()), before = await attacker()
    const met = [...new Set(['taskvault.localhost', earlier.hostname].map(host => `http://${host}:${url.port}/`))]
    const first = await start(undefined, before.port)
    try { for (const each of met) { await first.page.go(each); await first.page.has('left') } } finally { await first.close({ keep: true }) }
    before.close()
    const { page, close } = await start(first.profile)
    try {
      for (const each of met) {
        await page.go(each)
        await page.has('taken over')
        expect(await page.evaluate("fetch('/server.js', { cache: 'force-cache' }).then(answer => answer.text())"), 'globalThis.taken = true', 'the script in the cache')
      }
      console.log(`control: ${name} runs at ${met.length} origins what was left there`)
      await page.go(`http://taskvault.localhost:${url.port}/`)
      expect(await page.evaluate('document.cookie.length > 600000'), true, 'the cookies for the domain')
      await page.go(url.href)
      await page.has('Create password')
      expect(await page.evaluate('navigator.serviceWorker.getRegistrations().then(all => [all.length, Boolean(globalThis.taken)])'), [0, false], 'what runs in the page')
    } finally { await close() }
    console.log(`ok    ${name}`)
  } catch (problem) { failed++; console.log(`FAIL  ${name}\n${problem.stack}`) }
} finally { await place.end() }
console.log(failed ? `${failed} failed` : `proof: browsers=${Object.keys(browsers).length} origins=2 taken=0`)
process.exit(failed ? 1 : 0)
