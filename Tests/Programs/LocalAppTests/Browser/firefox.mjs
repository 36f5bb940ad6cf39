// firefox.mjs: the main flows in Firefox.
import { firefox } from './bidi.mjs'
import { create, expect, passphrase, verify, world } from './world.mjs'

const place = world(), { page, close } = await firefox()
const html = () => page.evaluate('document.documentElement.outerHTML')
let passed = 0, failed = 0
const step = async (name, act) => { try { await act(); passed++; console.log(`ok    ${name}`) } catch (problem) { failed++; console.log(`FAIL  ${name}\n${problem.stack}`) } }
try {
  await step('S10 create a password', async () => { await create(page, await place.url()); await page.has('No tasks yet.') })
  await step('S3 S18 add, mark, delete, undo', async () => {
    await page.press('n')
    await page.has('New task')
    await page.until("document.activeElement?.matches('.task-form input')")
    await page.type('buy milk')
    await page.press('Enter')
    await page.until("!document.querySelector('.task-form') && document.querySelector('.list .row')")
    await page.click('.list .row .tick')
    await page.until("document.querySelector('.list .row.done')")
    await page.evaluate("document.querySelector('.list .row .title').focus()")
    await page.press('Delete')
    await page.has('Task deleted.')
    await page.click('.toast button')
    await page.has('buy milk')
  })
  await step('S8 a protected task is shown and hidden', async () => {
    await page.evaluate("import('/verify.js').then(({ verify }) => { verify() })")
    await verify(page)
    await page.evaluate("import('/server.js').then(({ api }) => api.post('tasks', { name: 'a quiet word', nickname: 'gift', protected: true }))")
    await page.has('gift')
    await page.click('.row.hiding button.plain')
    await page.has('a quiet word')
    await page.press('Escape')
    await page.hasNot('a quiet word')
    expect((await html()).includes('a quiet word'), false, 'the text is left')
  })
  await step('S20 statistics', async () => {
    await page.evaluate("location.hash = '#statistics'")
    await page.has('completed in the past 24 hours')
    await page.click('.backlink')
    await page.has('buy milk')
  })
  await step('the list changes live with the command line', async () => { await place.run('task', 'add', 'from the terminal'); await page.has('from the terminal') })
  await step('S10 lock, a wrong password, unlock', async () => {
    await page.click('.pill')
    await page.has('Enter password')
    await page.type('wrong')
    await page.press('Enter')
    await page.has('The password is wrong.')
    await page.type(passphrase)
    await page.press('Enter')
    await page.has('buy milk')
  })
  await step('S21 a reload shows the locked start screen in the same tab', async () => {
    await page.call('browsingContext.reload', { context: page.context, wait: 'complete' })
    await page.has('Enter password')
    await page.hasNot('buy milk')
    await page.type(passphrase)
    await page.press('Enter')
    await page.has('buy milk')
    await page.go('data:text/html,<title>x</title>other')
    expect(await page.evaluate('window.name'), '', 'the name of the tab')
  })
} finally { await close(); await place.end() }
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0
