// Shows protected texts for a limited time, and hides them.
import { h, state, tell, texts, watch } from './core.js'
import { verified } from './verify.js'

const t = texts({ hides: ['Hides in {n} seconds', 'Сховається через {n} с'] })

/// A thin bar that shrinks until the time `until` (milliseconds since 1970).
export function countdown(until) {
  const seconds = Math.max(1, Math.round((until - Date.now()) / 1000)), line = h('span.countdown', { role: 'timer', 'aria-label': t('hides', { n: seconds }) })
  line.style.setProperty('--for', `${seconds}s`)
  return line
}

/// Shows the protected text of `draw()` in `place`, until `until` or `hide`. Then `after` runs.
function showFor(place, until, draw, after) {
  const before = [...place.childNodes]
  place.replaceChildren(...[draw()].flat(2).filter(Boolean), countdown(until))
  place.classList.add('revealed')
  const ended = new AbortController()
  const hide = () => {
    if (ended.signal.aborted) return
    ended.abort()
    clearTimeout(timer)
    place.replaceChildren(...before)
    place.classList.remove('revealed')
    after?.()
  }
  const timer = setTimeout(hide, until - Date.now())
  watch('hide', hide, ended.signal)
  watch('end', hide, ended.signal)
  return hide
}

/// Loads data with `request()` and shows `draw(answer)` in `place` while the verification lasts.
/// Then `after` runs.
export async function reveal(place, request, draw, after) {
  const answer = await verified(request)
  if (answer !== undefined && !document.hidden && place.isConnected) return showFor(place, state.verifiedUntil || Date.now() + 60000, () => draw(answer), after)
}

// A hidden page shows no protected text.
document.addEventListener('visibilitychange', () => { if (document.hidden) tell('hide') })
