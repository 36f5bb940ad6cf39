// Copies values: with `--clip` if the server has a display, else in the browser, which clears it.
import { state } from './core.js'
import { texts } from './shared.js'
import { toast } from './parts.js'
import { bytes } from './server.js'
import { posted } from './verify.js'

const t = texts({
  copied: 'Copied. The clipboard is cleared in {n} s.',
  here: 'Copied. The clipboard is cleared when you come back to this page.',
  cleared: 'The clipboard is cleared.', plain: 'Copied.',
})
let pending

/// Copies the result of a request that accepts `clip`: `secrets/get` or `secrets/code`.
export async function copy(path, body) {
  if (state.clipboard) {
    try {
      const done = await posted(path, { ...body, clip: true })
      if (done) toast(t('copied', { n: done.clears_in_seconds }))
      return
    } catch (problem) { if (problem.code != 'no_clipboard') throw problem }
  }
  const found = await posted(path, body)
  if (found) await copyText(found.code ?? text(found.value_base64))
}
/// Copies a text of the page; the clipboard is cleared when the page has the focus again.
export async function copyText(text) {
  await write(text, 'here')
  pending?.abort()
  pending = new AbortController()
  // A page may write to the clipboard only while it has the focus.
  addEventListener('focus', clear, { signal: pending.signal })
}
async function clear() {
  const mine = pending
  // A refusal leaves it to the next focus.
  try { await write('', 'cleared'); mine.abort() } catch {}
}
/// Copies text that is not secret.
export const copyPlain = text => write(text, 'plain')
const write = async (text, said) => { await navigator.clipboard.writeText(text); toast(t(said)) }
/// Decodes the text of a value.
export const text = base64 => new TextDecoder().decode(bytes(base64))
