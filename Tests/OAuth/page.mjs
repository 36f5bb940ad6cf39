// Signs in on the page of a server with Chromium: page.mjs ADDRESS NAME, with the password as the first line of standard input. Prints the text of the last page.
import fs from 'node:fs'
import { chromium } from '../Programs/LocalAppTests/Browser/chromium.mjs'

const [address, name] = process.argv.slice(2), password = fs.readFileSync(0, 'utf8').split('\n')[0]
const browser = await chromium({ more: ['--ignore-certificate-errors'] })
try {
  const page = await browser.page()
  await page.send('Page.navigate', { url: address })
  const has = selector => page.evaluate(`Boolean(document.querySelector(${JSON.stringify(selector)}))`)
  // What the last page says, of this program's listener or of the server.
  const isOver = "/You are (not )?signed in|device is connected/i.test(document.body.innerText)"
  for (const end = Date.now() + 60000; ;) {
    const found = await page.until(`${isOver} ? 'over' : document.querySelector('input[type=password]:not([data-filled])') ? 'password' : [...document.querySelectorAll('button, input[type=submit]')].some(each => /^(continue|grant|authorize)$/i.test((each.innerText || each.value).trim()) && !each.disabled) ? 'button' : ''`)
    if (found == 'over') break
    if (Date.now() > end) throw new Error(await page.text())
    if (found == 'password') {
      for (const [selector, text] of [['input[name=username], #username', name], ['input[type=password]', password]]) {
        if (!await has(selector)) continue
        await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`)
        await page.send('Input.insertText', { text })
      }
      await page.evaluate("document.querySelector('input[type=password]').dataset.filled = 1")
      await page.press('Enter')
    } else {
      await page.evaluate("[...document.querySelectorAll('button, input[type=submit]')].find(each => /^(continue|grant|authorize)$/i.test((each.innerText || each.value).trim())).click()")
    }
    await new Promise(done => setTimeout(done, 300))
  }
  console.log(await page.text())
} finally { await browser.close() }
