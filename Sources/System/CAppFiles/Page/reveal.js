// Shows protected texts for a limited time, and hides them.
import { h, state, tell, texts, watch } from './core.js'
import { verified } from './verify.js'

const t = texts({ hides: 'Hides in {n} seconds' })

/// A thin bar that shrinks until the time `until` (milliseconds since 1970).
export function countdown(until) {
  const seconds = Math.max(1, Math.round((until - Date.now()) / 1000)), line = h('span.countdown', { role: 'timer', 'aria-label': t('hides', { n: seconds }) })
  line.style.setProperty('--for', `${seconds}s`)
  return line
}

/// Loads protected data with `request()` and shows `draw(answer)` in `place` until the verification ends, or `hide`. Then `after` runs.
export async function reveal(place, request, draw, after) {
  const answer = await verified(request)
  if (answer === undefined || document.hidden || !place.isConnected) return
  const before = [...place.childNodes], until = state.verifiedUntil || Date.now() + 60000, ended = new AbortController()
  place.replaceChildren(...[draw(answer)].flat(2).filter(Boolean), countdown(until))
  place.classList.add('revealed')
  const hide = () => {
    if (ended.signal.aborted) return
    ended.abort()
    clearTimeout(timer)
    place.replaceChildren(...before)
    place.classList.remove('revealed')
    after?.()
  }
  const timer = setTimeout(hide, until - Date.now())
  for (const each of ['hide', 'end']) watch(each, hide, ended.signal)
  return hide
}

// A hidden page shows no protected text.
document.addEventListener('visibilitychange', () => { if (document.hidden) tell('hide') })
