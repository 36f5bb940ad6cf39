// The entry point: shows Start until the vault is open, and then the screens.
import { completeFrame, enterFrame, h, leaveFrame, state, tell, watch, texts } from './core.js'
import './keys.js'
import { attempt } from './parts.js'
import { api, connected, follow, renew } from './server.js'
import { isHeld, signIn, start } from './start.js'
import './tasks.js'
import './statistics.js'
import { renewSession, takeAnswer, takeSession } from './verify.js'

const t = texts({
  again: 'Open TaskVault again',
  how: 'This page has been cleared. Open it from the menu of your desktop, or in a terminal:',
})

watch('end', why => {
  isOver = true
  leaveFrame()
  tell('forget')
  for (const each of [...document.body.children]) if (!each.matches('.held')) each.remove()
  document.body.append(h('main.start', { id: 'main' }, h('div.box', h('h1', t('again')), why && h('p.error', why), h('p.below', t('how')), h('p', h('code', 'taskvault app')))))
})

// Shows the screens while the vault is open, and the screen Start otherwise.
let was, isOver
watch('state', () => {
  const now = state.session.state
  // Without a main element, one that stayed has just gone.
  if (isOver || isHeld() || now == was && document.querySelector('main')) return
  was = now
  if (now == 'unlocked') {
    document.querySelector('main.start')?.remove()
    enterFrame()
    attempt(signIn)
  } else {
    leaveFrame()
    tell('forget')
    for (const each of document.querySelectorAll('dialog:not(.held)')) each.close()
    start()
  }
})
watch('session', ({ session }) => {
  if (session.state != 'unlocked') tell('hide')
  // Without an answer a lock is believed.
  renewSession().catch(() => { if (session.state != 'unlocked') takeSession(session) })
})
watch('lock', () => attempt(() => takeAnswer(api.post('session/lock'))))
for (const each of ['settings', 'vault']) watch(each, () => attempt(renew))
watch('language', () => { if (document.querySelector('nav')) { leaveFrame(); enterFrame() } })
setInterval(() => tell('minute'), 30000)

const session = await connected
if (session) {
  if (state.show) {
    await import('./screens.js')
    // Open the list first, so that *Back* returns to it.
    const path = state.show.replace(/^task\//, 'tasks/')
    history.replaceState(null, '', '#' + path.split('/')[0])
    history.pushState(null, '', '#' + path)
  }
  takeSession(session)
  follow()
  // Open the list first.
  await state.first
  state.first = null
  await import('./screens.js')
  completeFrame()
} else tell('end')
