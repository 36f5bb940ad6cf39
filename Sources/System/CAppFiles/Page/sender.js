// Makes the address of a sender, and shows it once: to copy, as a file and as a QR code.
import { h } from './core.js'
import { once } from './once.js'
import { field, form } from './parts.js'
import { api } from './server.js'
import { texts } from './shared.js'

const t = texts({
  who: 'Sender', give: 'Give it to the sender: anyone with it can write to you. It is not shown again.',
})

export async function makeAddress() {
  const name = h('input', { required: true })
  let text, sender
  const isMade = await form(t('sender'), { inputs: [field(t('who'), name)], save: async () => {
    sender = name.value.trim()
    text = JSON.stringify(await api.post('senders', { name: sender }))
  } })
  if (!isMade) return
  const { lines } = await api.post('qr', { text }).catch(() => ({ lines: [] }))
  await once(t('sender'), t('give'), text, { file: `${sender}.json`, qr: lines })
}
