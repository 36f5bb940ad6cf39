// The connection to taskvault app: requests, challenges, events.
import { language, state, tell, texts } from './core.js'

const t = texts({
  impostor: ['This page does not talk to TaskVault. Close it.', 'Ця сторінка розмовляє не з TaskVault. Закрийте її.'],
  locked: ['The vault is locked.', 'Сховище заблоковано.'], not_verified: ['Not verified.', 'Не підтверджено.'],
  wrong_passphrase: ['The password is wrong.', 'Неправильний пароль.'], wrong_recovery_code: ['The recovery code is wrong.', 'Неправильний код відновлення.'],
  throttled: ['Too many tries. Wait a little.', 'Забагато спроб. Зачекайте трохи.'],
  already_exists: ['This name already exists.', 'Така назва вже є.'], nothing_to_undo: ['There is nothing to undo.', 'Нема чого повертати.'],
  conflict: ['It has changed since. Try again.', 'Відтоді це змінилося. Спробуйте ще раз.'], text_not_undoable: ['A protected text cannot be taken back.', 'Захищений текст не можна повернути.'],
  no_server: ['No server is set.', 'Сервер не задано.'], not_signed_in: ['Sign in first.', 'Спершу увійдіть.'],
  server_unreachable: ['The server cannot be reached.', 'Сервер недоступний.'], server_rejected: ['The e-mail or the password is wrong.', 'Неправильний e-mail або пароль.'],
  second_factor_required: ['A second factor is required.', 'Потрібен другий фактор.'], wrong_second_factor: ['The code is wrong or was used.', 'Код неправильний або вже вжитий.'],
  invalid_second_factor: ['This is not the code of this secret now.', 'Це не теперішній код цього секрету.'],
  needs_browser: ['Sign in on the page of the server.', 'Увійдіть на сторінці сервера.'], denied: ['The sign-in was declined.', 'Вхід відхилено.'], not_completed: ['The time is over. Sign in again.', 'Час минув. Увійдіть ще раз.'],
  account_disabled: ['The account is disabled. Ask the operator of the server.', 'Обліковий запис вимкнено. Зверніться до оператора сервера.'], wrong_code: ['The code is wrong, used or expired.', 'Код неправильний, використаний або прострочений.'],
  invitation_refused: ['The server requires a valid invitation.', 'Сервер вимагає дійсне запрошення.'],
  private_address: ['The picture is in a private network.', 'Зображення у приватній мережі.'],
  no_inbox: ['The inbox is off.', 'Вхідні вимкнено.'], too_large: ['It is too large.', 'Завелике.'],
  interrupted: ['The connection was interrupted. See whether it was done.', 'З’єднання перервалося. Перевірте, чи дію виконано.'],
  invalid_seed: ['This is not a key for codes.', 'Це не ключ для кодів.'], damaged: ['The data is damaged.', 'Дані пошкоджено.'],
})
// Codes with the same meaning.
const same = { not_found: 'gone', unknown_task: 'gone', unknown_subtask: 'gone', no_field: 'gone', no_picture: 'gone', changed_since: 'conflict', keys_replaced: 'locked', wrong_password: 'server_rejected',
  passkey: 'refused', recovery_code_malformed: 'wrong_recovery_code', passphrase_too_short: 'short' }

/// A request that was refused, with the server's `code`.
export class Refusal extends Error {
  constructor({ code, message, hint }) { super(message); this.code = code; this.hint = hint }
}
// What the page says in Ukrainian where the command's own English text has no entry above.
const ukrainian = {
  invalid_settings: 'Таке значення не підходить.', usage: 'Таке значення не підходить.', invalid_address: 'Це не адреса сервера.', invalid_name: 'Така назва не підходить.',
  busy: 'Зачекайте: виконується інша дія.', overtaken: 'Зачекайте: виконується інша дія.', disk_full: 'На диску немає місця.', read_only: 'Запис на диск неможливий.', cannot_write: 'Не вдалося записати.', cannot_read: 'Не вдалося прочитати.',
  out_of_memory: 'Бракує пам’яті.', declined: 'Скасовано.', denied: 'Немає дозволу.', forbidden: 'Це змінюється лише в терміналі.', expired: 'Час вийшов. Спробуйте ще раз.', no_clipboard: 'Буфер обміну недоступний.', no_picture: 'Зображення немає.',
  not_a_picture: 'Це не зображення.', no_terminal: 'Це можна зробити лише в терміналі.', not_supported: 'Це не підтримується.', no_recovery_code: 'Сховище не має коду відновлення.', no_earlier_value: 'Попереднього значення немає.', last_slot: 'Це останній спосіб відкрити сховище.',
  passphrase_length: 'Пароль задовгий.', passphrase_encoding: 'Пароль має недозволені символи.', password_policy: 'Сервер вимагає іншого пароля.', invitation_refused: 'Запрошення не прийнято.', server_answer: 'Відповідь сервера незрозуміла.', server_untrusted: 'Сервер не має надійного сертифіката.',
  redirected: 'Сервер переспрямовує деінде.', inbox_ended: 'На сервері вже немає цих вхідних.', too_many_senders: 'Забагато відправників.', too_many_inboxes: 'Забагато вхідних.', too_many_slots: 'Забагато способів відкрити сховище.', duplicate_label: 'Така назва вже є.', same_name: 'Така назва вже є.', task_exists: 'Таке завдання вже є.',
  no_time_to_remind: 'Спершу задайте термін.', no_time_to_repeat: 'Спершу задайте термін.', value_empty: 'Значення порожнє.', has_nul: 'Текст має недозволені символи.', control_character: 'Текст має недозволені символи.', not_text: 'Це не текст.', library_missing: 'Бракує потрібної бібліотеки.',
  agent_unreachable: 'Процес сховища не відповідає.', agent_lost: 'Процес сховища завершився.', vault_unreachable: 'Сховище недоступне.', database_unreachable: 'База даних недоступна.', storage_closed: 'Сховище закрито.', not_removed: 'Це не вилучено.', reserved_name: 'Цю назву зайнято.', password_in_address: 'Адреса містить пароль.',
}
/// The message for a failure, in the page's language.
export function explain(problem) {
  const code = same[problem.code] ?? problem.code
  // The browser's own failures have no code, and their text has the browser's language.
  if (problem instanceof DOMException) return t(problem.name == 'InvalidStateError' ? 'already_exists' : 'refused')
  try { return t(code) } catch {}
  if (language == 'uk' && problem instanceof Refusal) return ukrainian[code] ?? `Не вдалося (${code}).`
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
  throw new Refusal(error)
}
const result = async (...request) => (await (await send(...request)).json()).result

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
