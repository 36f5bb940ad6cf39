// Texts that are shown once: recovery codes, and the address of a sender. They stay until *Done*.
import { h, icon, texts } from './core.js'
import { copyText } from './clipboard.js'
import { ask, attempt, dialog } from './parts.js'

const t = texts({
  print: 'Print', file: 'Save as a file',
  done: ['Done', 'Готово'], ask: 'Close it?', why: 'It is not shown again.',
})

/// The buttons that keep a text: copy, print, and a file if it has a name.
export const keepers = (text, file) => [
  h('button', { onclick: () => attempt(() => copyText(text)) }, icon('copy'), t('copy')), h('button', { onclick: () => print() }, t('print')),
  file && h('button', { onclick: () => save(text, file) }, t('file'))]

function save(text, name) {
  const url = URL.createObjectURL(new Blob([text + '\n'], { type: 'application/octet-stream' }))
  h('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10000)
}

/// Shows a text until *Done*, whatever happens to the vault; Esc asks. `qr` are the lines of its QR code.
export const once = (title, why, text, { file, qr = [] } = {}) => dialog(title, (close, element) => {
  element.addEventListener('keydown', async event => {
    if (event.key != 'Escape') return
    event.preventDefault()
    if (await ask(t('ask'), t('why'), t('close'))) close()
  })
  return [h('p.below', why), h('p.recovery.code', { tabindex: '0' }, text), qr.length > 0 && h('pre.qr', { role: 'img', 'aria-label': 'QR' }, qr.join('\n')),
    h('div.buttons', keepers(text, file), h('button.main', { onclick: () => close() }, t('done')))]
}, 'held')
