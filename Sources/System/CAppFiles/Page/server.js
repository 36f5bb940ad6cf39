// The connection to taskvault app: requests, challenges, events.
import { adopt, state, tell, texts, ukrainian } from './core.js'

const t = texts({
  impostor: 'This page does not talk to TaskVault. Close it.',
  locked: 'The vault is locked.', not_verified: 'Not verified.',
  wrong_passphrase: 'The password is wrong.', wrong_recovery_code: 'The recovery code is wrong.',
  throttled: 'Too many tries. Wait a little.',
  already_exists: 'This name already exists.', nothing_to_undo: 'There is nothing to undo.',
  conflict: 'It has changed since. Try again.', text_not_undoable: 'A protected text cannot be taken back.',
  no_server: 'No server is set.', not_signed_in: 'Sign in first.',
  server_unreachable: 'The server cannot be reached.', server_rejected: 'The e-mail or the password is wrong.',
  second_factor_required: 'A second factor is required.', wrong_second_factor: 'The code is wrong or was used.',
  invalid_second_factor: 'This is not the code of this secret now.',
  needs_browser: 'Sign in on the page of the server.', denied: 'The sign-in was declined.', not_completed: 'The time is over. Sign in again.',
  account_disabled: 'The account is disabled. Ask the operator of the server.', wrong_code: 'The code is wrong, used or expired.',
  invitation_refused: 'The server requires a valid invitation.',
  private_address: 'The picture is in a private network.',
  no_inbox: 'The inbox is off.', too_large: 'It is too large.',
  interrupted: 'The connection was interrupted. See whether it was done.',
  invalid_seed: 'This is not a key for codes.', damaged: 'The data is damaged.',
})
// Codes with the same meaning.
const same = { not_found: 'gone', unknown_task: 'gone', unknown_subtask: 'gone', no_field: 'gone', no_picture: 'gone', changed_since: 'conflict', keys_replaced: 'locked', wrong_password: 'server_rejected',
  passkey: 'refused', recovery_code_malformed: 'wrong_recovery_code', passphrase_too_short: 'short' }

/// A request that was refused, with the server's `code`. The status 422 is that of a vault that is damaged, or not the one seen last.
export class Refusal extends Error {
  constructor({ code, message, hint, status }) { super(message); Object.assign(this, { code, hint, status }) }
}
/// The message for a failure, in the page's language.
export function explain(problem) {
  const code = same[problem.code] ?? problem.code
  // The browser's own failures have no code, and their text has the browser's language.
  if (problem instanceof DOMException) return t(problem.name == 'InvalidStateError' ? 'already_exists' : 'refused')
  try { return t(code) } catch {}
  // A command's own text is English.
  if (ukrainian && problem.code) return ukrainian.errors[code] || problem.status == 422 && t('damaged') || `Не вдалося (${code}).`
  return problem.message + (problem.hint ? ` (${problem.hint})` : '')
}

export const base64 = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer)))
export const bytes = text => Uint8Array.from(atob(text), each => each.charCodeAt(0))

// Kept only in this variable: not in storage, a cookie or an element.
let bearer, key, sequence

async function send(method, path, body) {
  const headers = bearer ? { Authorization: `Bearer ${bearer}` } : {}
  if (body && !(body instanceof Blob)) { headers['Content-Type'] = 'application/json'; body = JSON.stringify(body) }
  else if (body) headers['Content-Type'] = 'application/octet-stream'
  let answer
  for (let tries = 1; !answer; tries++) try {
    answer = await fetch('/api/' + path, { method, headers, body, cache: 'no-store', redirect: 'error', credentials: 'omit', referrerPolicy: 'no-referrer' })
  } catch {
    // One failure is not the end: sleep cuts connections, too. A question is repeated, what may have been done is not.
    if (bearer && tries == 1 && (method == 'GET' || path == 'challenge')) continue
    if (bearer && method != 'GET' && await fetch('/icon.svg', { cache: 'no-store' }).then(found => found.ok, () => false)) throw new Refusal({ code: 'interrupted' })
    end()
    throw new Refusal({ code: 'unreachable' })
  }
  if (answer.ok) return answer
  const { error } = await answer.json().catch(() => ({ error: { code: 'failed', message: `${answer.status}` } }))
  if (answer.status == 401 && error.code == 'unauthorized') end()
  throw new Refusal({ ...error, status: answer.status })
}
// The warnings of the command stand beside its result, where no copy takes them along.
const result = async (...request) => {
  const { result, warnings } = await (await send(...request)).json()
  return Object(result) === result ? Object.defineProperty(result, 'warnings', { value: warnings }) : result
}

/// The requests to `/api/…`. Each resolves to `result` or throws a `Refusal`. `body`: object or Blob.
export const api = {
  get: path => result('GET', path),
  post: (path, body = {}) => result('POST', path, body),
  patch: (path, body) => result('PATCH', path, body),
  put: (path, body) => result('PUT', path, body),
  delete: path => result('DELETE', path),
  /// Requests content, as a Blob.
  blob: async path => (await send('GET', path)).blob(),
  /// Sends a secret. The server must first prove that it issued the bearer token.
  async secret(path, body) {
    const challenge = crypto.getRandomValues(new Uint8Array(32))
    const { proof_base64 } = await api.post('challenge', { challenge_base64: base64(challenge) })
    if (!key || !await crypto.subtle.verify('HMAC', key, bytes(proof_base64), challenge)) {
      end(t('impostor'))
      throw new Refusal({ code: 'unreachable' })
    }
    return api.post(path, body)
  },
}

/// Clears the page: it shows only `why` until TaskVault opens it again.
export function end(why) {
  if (bearer === null) return
  bearer = key = null
  tell('hide')
  tell('end', why)
}
// The browser's back/forward cache must not restore the page.
addEventListener('pagehide', () => {
  end()
  for (const each of document.querySelectorAll('.held')) each.remove()
})
// A reload in the same tab opens the page again, behind the password, with a key of one use in the name of the tab. That is in no storage,
// and a browser does not show it to another site. It must be set before the reload begins.
const mark = 'taskvault:'

/// Receives the events of the server.
export async function follow() {
  try {
    while (bearer) {
      const message = await api.get(`events?after=${sequence}`)
      sequence = message.sequence
      for (const each of message.events) {
        if (each.event == 'resync') for (const topic of ['tasks', 'vault', 'settings']) tell(topic, each)
        else tell(each.event, each)
      }
    }
  } catch { end() }
}

/// Loads the state of the vault and returns its session.
export async function renew() {
  const { session, ...more } = await api.get('state')
  Object.assign(state, more)
  await adopt(state)
  return session
}

// Exchanges a token, or the key of a reload, for the bearer token. `state.show` is the screen to show; `state.held` says that the page shows
// nothing before the password.
async function connect() {
  const meta = document.querySelector('meta[name=taskvault-token]')
  const token = meta.content || new URLSearchParams(location.hash.slice(1)).get('token'), reload = window.name.startsWith(mark) ? window.name.slice(mark.length) : null
  meta.content = window.name = ''
  if (token || !reload) history.replaceState(null, '', '/')
  if (!token && !reload) return null
  try {
    const opened = await api.post('session', token ? { token } : { again: reload })
    bearer = opened.bearer
    window.name = mark + opened.again
    key = await crypto.subtle.importKey('raw', bytes(opened.key_base64), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    state.show = opened.show
    state.held = opened.held
    sequence = opened.sequence
    // Both requests run in parallel, because the list needs the state for its first rows.
    const first = state.held ? null : api.get('tasks?limit=60').catch(() => {}), session = await renew()
    if (session.state == 'unlocked') state.first = first
    return bearer && session
  } catch { return null }
}
/// The session, requested while other scripts load; null without a valid token.
export const connected = connect()
