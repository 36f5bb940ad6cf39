// look.mjs [--pictures]: each screen in both themes and languages, on a phone and a desktop: axe finds nothing, nothing is wider than the page, touch
// targets have 44 px. With --pictures they are written into Docs/Pictures. TASKVAULT_AXE is the file axe.min.js.
import fs from 'node:fs'
import path from 'node:path'
import { chromium, pause } from './chromium.mjs'
import { fill, messages } from './seed.mjs'
import { authServer } from './server.mjs'
import { passphrase, unlock, verify, world } from './world.mjs'

const folder = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../../../../Docs/Pictures')
const pictures = process.argv.includes('--pictures'), axe = fs.readFileSync(process.env.TASKVAULT_AXE, 'utf8')
const sizes = { desktop: { width: 1080, height: 860 }, wide: { width: 1300, height: 860 }, phone: { width: 390, height: 844, touch: true }, small: { width: 320, height: 568, touch: true } }
let passed = 0, failed = 0
const problem = text => { failed++; console.log(`FAIL  ${text}`) }

async function look(page, name) {
  await page.evaluate(`${axe};0`)
  for (const [size, options] of Object.entries(sizes)) for (const dark of [false, true]) {
    await page.look({ ...options, dark })
    await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 1, y: 1 })
    await pause(60)
    const title = `${name}, ${size}, ${dark ? 'dark' : 'light'}, ${page.language}`
    const found = await page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(each => each.nodes.map(node => each.id + ': ' + node.target + ' ' + (node.any[0]?.message ?? node.all[0]?.message ?? ''))))")
    for (const each of found) problem(`${title}: ${each}`)
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    if (wide > 0) problem(`${title}: ${wide} px too wide`)
    const small = options.touch ? await page.evaluate(tooSmall) : []
    for (const each of small) problem(`${title}: touch target ${each}`)
    if (!found.length && wide <= 0 && !small.length) passed++
    const wanted = { desktop: dark ? null : '', phone: dark ? '-dark' : null, wide: ['task', 'message'].includes(name) && !dark ? '-wide' : null }[size]
    if (pictures && page.language == 'en' && wanted != null) await page.picture(path.join(folder, `${name}${wanted}.png`))
    if (pictures && page.language == 'uk' && size == 'phone' && !dark && ['tasks', 'start'].includes(name)) await page.picture(path.join(folder, `${name}-uk.png`))
  }
}
// What a finger can hit: the element, with what reaches out of it. Words within a sentence are exempt, as in WCAG 2.5.8.
const tooSmall = `[...document.querySelectorAll('button, a[href], input, select, textarea')].filter(each => each.checkVisibility({ visibilityProperty: true }) && !each.closest('.below, label, .skip') && !each.classList.contains('skip')).map(each => {
  const box = each.getBoundingClientRect(), after = getComputedStyle(each, '::after')
  const more = after.position == 'absolute' && after.content != 'none' ? -2 * (parseFloat(after.top) || 0) : 0
  return [each, box.width, Math.max(box.height, box.height + more), after]
}).filter(([each, width, height]) => !each.matches('.row .title') && (width < 43.5 || height < 43.5)).map(([each, width, height]) => each.tagName + '.' + each.className + ' ' + Math.round(width) + ' x ' + Math.round(height))`

/// Adds what comes from outside: messages, and a server with an account and a checklist.
async function receive(page) {
  for (const { sender, ...message } of messages) {
    const file = path.join(place.home, sender)
    fs.writeFileSync(file, JSON.stringify(message))
    await place.run('inbox', 'receive', file)
  }
  server = await authServer(place)
  await page.evaluate(`(async () => {
    const { api } = await import('/server.js'), account = { email: 'olena@example.org', password: 'seven grey owls listen' }
    const idOf = async number => (await api.get('inbox')).find(each => each.title == ${JSON.stringify(messages.map(each => each.title))}[number]).id
    await api.post('inbox/decline', { ids: [await idOf(0)] })
    await api.post('inbox/accept', { ids: [await idOf(1)] })
    await api.post('settings', { name: 'server', value: '${server.url}' })
    await api.secret('account/create', account)
    await api.secret('account/sign-in', account)
  })()`)
  await page.until("document.querySelector('.banner-place')")
  await page.evaluate("document.querySelector('.banner-place').remove()")
}

let server
const place = world(), browser = await chromium()
if (pictures) fs.mkdirSync(folder, { recursive: true })
try {
  for (const language of ['en', 'uk']) {
    const page = Object.assign(await browser.page({ language }), { language })
    await page.go(await place.url())
    if (language == 'en') {
      await page.has('Create password')
      await look(page, 'create')
      await page.evaluate("document.querySelector('input').focus()")
      for (const again of [1, 2]) { await page.type(passphrase); await page.press('Enter'); await pause(50) }
      await page.until("document.querySelector('.recovery')", 20000)
      await look(page, 'recovery')
      await page.click('button.main')
      await page.until("document.querySelector('nav')")
      await look(page, 'empty')
      await page.evaluate("import('/verify.js').then(({ verify }) => { verify() })")
      await verify(page)
      await fill(page)
      await page.has('Call the plumber')
      await page.evaluate("location.hash = '#devices'")
      await page.until("document.querySelector('.pane .form')")
      await look(page, 'devices-off')
      await page.look({})
      await page.evaluate("location.hash = '#tasks'")
      await page.has('Call the plumber')
      fs.mkdirSync(path.join(place.home, 'shared'))
      await page.evaluate(`import('/server.js').then(({ api }) => api.post('sync/enable', { folder: '${path.join(place.home, 'shared')}', name: 'laptop' }))`)
      await receive(page)
    }
    await page.until("document.querySelector('.list .row')")
    await page.until("document.querySelectorAll('nav > a').length == 8")
    const screens = await page.evaluate("[...document.querySelectorAll('nav > a')].map(each => each.hash.slice(1))")
    for (const name of [...screens, 'statistics']) {
      await page.evaluate(`location.hash = '#${name}'`)
      await page.until("document.querySelector('.pane')?.children.length")
      await pause(200)
      await look(page, name)
    }
    for (const [name, text] of Object.entries({ inbox: 'Bring the signed contract', files: 'Carpathians.jpg', secrets: 'github.com', checklists: 'Before a journey' })) {
      await page.look({})
      await page.evaluate(`location.hash = '#${name}'`)
      const id = await page.until(`[...document.querySelectorAll('.list .row')].find(each => each.innerText.includes('${text}'))?.dataset.key`)
      await page.evaluate(`location.hash = '#${name}/${id}'`)
      await page.until("document.querySelector('.detail')?.children.length")
      await pause(200)
      await look(page, { inbox: 'message', files: 'file', secrets: 'secret', checklists: 'checklist' }[name])
    }
    await page.look({})
    await page.evaluate("location.hash = '#secrets/audit'")
    await page.until("document.querySelector('.detail h1')")
    await look(page, 'audit')
    await page.look({})
    await page.evaluate("location.hash = '#settings/sessions'")
    await page.until("document.querySelector('.detail .row')")
    await look(page, 'sessions')
    await page.look({})
    await page.evaluate("location.hash = '#tasks'")
    const id = await page.until("[...document.querySelectorAll('.list .row')].find(each => each.innerText.includes('#board'))?.dataset.key")
    for (const [name, hash] of [['task', `tasks/${id}`], ['new-task', 'tasks/new'], ['edit-task', `tasks/${id}/edit`]]) {
      await page.evaluate(`location.hash = '#${hash}'`)
      await page.until("document.querySelector('.detail')?.children.length")
      await look(page, name)
    }
    await page.evaluate("(() => { const set = (field, value) => { field.value = value; field.dispatchEvent(new Event('change', { bubbles: true })) }, form = document.querySelector('.task-form'); set([...form.querySelectorAll('select')].find(each => each.querySelector('[value=own]')), 'own'); set([...form.querySelectorAll('select')].find(each => each.querySelector('[value=WEEKLY]')), 'WEEKLY') })()")
    await look(page, 'repetition')
    await page.look({})
    await page.evaluate("location.hash = '#tasks'")
    await page.until("document.querySelector('.list .row')")
    await page.evaluate("document.querySelector('.quick-add input').focus()")
    await page.type('call Ada tomorrow 9:00 #home !high')
    await page.until("document.querySelector('.quick-add .hint').innerText")
    for (const at of [0, 1]) await page.evaluate(`document.querySelectorAll('.list .row .title')[${at}].dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey: true }))`)
    await page.evaluate("import('/banner.js').then(({ drop }) => drop({ icon: 'bell', title: 'Water the plants', below: '9:00', open() {}, actions: [['Done', () => {}], ['Later', () => {}]] }))")
    await look(page, 'selection')
    await page.evaluate("document.querySelectorAll('.banner-place > div').forEach(each => each.remove()); (() => { const field = document.querySelector('.quick-add input'); field.value = ''; field.dispatchEvent(new Event('input')) })()")
    await page.press('Escape')
    await page.look({})
    await page.evaluate("location.hash = '#tasks'")
    await page.evaluate("document.querySelector('button.square').click()")
    await page.until("document.querySelector('dialog')")
    await look(page, 'menu')
    await page.press('Escape')
    await page.evaluate("import('/verify.js').then(({ verify }) => { verify() })")
    await page.until("document.querySelector('dialog')")
    await look(page, 'verify')
    await page.press('Escape')
    await page.look({})
    await page.until("!document.querySelector('dialog')")
    await page.evaluate("document.querySelector('.pill').click()")
    await page.until("document.querySelector('main.start input')")
    await look(page, 'start')
    await unlock(page)
    if (page.problems.length) problem(`${language}: ${page.problems.join('\n')}`)
    await page.close()
  }
} catch (error) { problem(error.stack) } finally { await browser.close(); await server?.stop(); await place.end() }
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0
