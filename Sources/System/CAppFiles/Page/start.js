// Start (S10): one field and one button. It creates or opens the vault, and signs in (S6).
import { h, icon, state, tell, texts } from './core.js'
import { dialog, field, form } from './parts.js'
import { api, explain } from './server.js'
import { assertion, byPasskey, hasPasskey, takeSession } from './verify.js'

/// The texts of this screen. Settings uses them as well.
export const t = texts({
  welcome: ['Welcome', 'Вітаємо'], new: ['Choose a password for your vault.', 'Виберіть пароль для сховища.'],
  again: ['Type the same password again.', 'Введіть той самий пароль ще раз.'],
  back: ['Welcome back', 'З поверненням'], locked: ['Your vault is locked.', 'Ваше сховище заблоковано.'],
  code: ['Recovery code', 'Код відновлення'],
  create: ['Create password', 'Створити пароль'], repeat: ['Repeat password', 'Повторити пароль'], enter: ['Enter password', 'Ввести пароль'],
  enterCode: ['Enter recovery code', 'Ввести код відновлення'],
  differ: ['The two passwords differ. Start over.', 'Паролі різні. Почніть спочатку.'],
  weak: ['Weak: easy to guess.', 'Слабкий: легко вгадати.'], fair: ['Fair.', 'Середній.'], strong: ['Strong.', 'Сильний.'],
  yours: ['Your recovery code', 'Ваш код відновлення'],
  keep: ['It opens the vault when the password is lost. Write it down now: it is not shown again.', 'Він відкриє сховище, якщо пароль втрачено. Запишіть його зараз: більше його не буде показано.'],
  written: ['I have written it down', 'Я його записав'],
  factor: ['Second factor', 'Другий фактор'], factorWhy: ['The server does not know this device yet.', 'Сервер ще не знає цього пристрою.'], factorCode: ['Code or recovery code', 'Код або код відновлення'],
  open: ['Open its page', 'Відкрити його сторінку'], typeCode: ['Enter this code there:', 'Введіть там цей код:'], waiting: ['Sign in on the page of the server. This window closes then.', 'Увійдіть на сторінці сервера. Тоді це вікно закриється.'],
  signIn: ['Sign in', 'Увійти'], email: ['E-mail', 'E-mail'], why: ['To the server {server}.', 'На сервер {server}.'],
})

/// The stages of the screen. `act(text)` returns the next stage, or throws the error to show.
const stages = {
  create: { title: 'welcome', below: 'new', label: 'password', button: 'create', strength: true, act: text => {
    if ([...text].length < 4) throw new Error(t('short'))
    return next('repeat', { first: text })
  } },
  repeat: { title: 'welcome', below: 'again', label: 'password', button: 'repeat', act: async (text, { first }) => {
    if (text != first) return next('create', { error: t('differ') })
    const { recovery_code, session } = await api.secret('vault/create', { passphrase: text })
    recovery(recovery_code, session)
  } },
  enter: { title: 'back', below: 'locked', label: 'password', button: 'enter', act: async text => takeSession(await api.secret('session/unlock', { passphrase: text })) },
  code: { title: 'back', below: 'locked', label: 'code', button: 'enterCode', act: async text => takeSession(await api.secret('session/unlock', { recovery_code: text })) },
}

/// Shows the screen for the state of the vault.
export function start() {
  next(state.session.state == 'none' ? 'create' : 'enter')
}

/// Whether the screen shows a text that the user must read first.
export const isHeld = () => Boolean(document.querySelector('main.start .recovery'))

function put(...children) {
  document.querySelector('main.start')?.remove()
  document.body.prepend(h('main.start', { id: 'main' }, h('div.box', icon('lock'), children)))
}

function next(name, { first, error: said } = {}) {
  const stage = stages[name]
  const error = h('p.error', { role: 'alert' })
  const input = h('input', { type: name == 'code' ? 'text' : 'password', autocapitalize: 'off', spellcheck: 'false', required: true })
  const button = h('button.main', { type: 'submit' }, t(stage.button))
  const tryTo = async act => {
    error.textContent = ''
    button.disabled = true
    try { await act() } catch (problem) { error.textContent = explain(problem); input.focus() }
    button.disabled = false
  }
  const send = event => {
    event.preventDefault()
    const text = input.value
    input.value = ''
    tryTo(() => stage.act(text, { first }))
  }
  const other = name == 'code' ? 'enter' : 'code'
  put(h('h1', t(stage.title)), h('p.below', t(stage.below)),
    h('form', { onsubmit: send }, field(t(stage.label), input), stage.strength && follow(input), error, button),
    stage.title == 'back' && h('div.quietly',
      hasPasskey() && h('button.plain', { onclick: () => tryTo(() => byPasskey('unlock')) }, t('passkey')),
      h('button.quiet', { onclick: () => next(other) }, t(other == 'code' ? 'code' : 'password'))))
  input.focus()
  // Set the text after the element exists, so that a screen reader announces it.
  if (said) setTimeout(() => { error.textContent = said })
}

/// Shows the strength of the typed text, as estimated by the server.
export function follow(input) {
  const bars = h('div.strength', { 'aria-hidden': 'true' }, h('i'), h('i'), h('i')), level = h('p.hint', { role: 'status' })
  let asked = 0
  input.addEventListener('input', () => {
    const text = input.value, mine = ++asked
    setTimeout(async () => {
      if (mine != asked) return
      const found = text ? (await api.secret('vault/strength', { passphrase: text }).catch(() => ({}))).level : null
      if (mine != asked || !input.isConnected) return
      bars.className = `strength ${found ?? ''}`.trim()
      level.textContent = !found ? '' : [...text].length < 4 ? t('short') : t(found)
    }, 150)
  })
  return [bars, level]
}

function recovery(code, session) {
  put(h('h1', t('yours')), h('p.below', t('keep')), h('p.recovery.code', code),
    h('button.main', { autofocus: true, onclick: () => { document.querySelector('.recovery').remove(); takeSession(session) } }, t('written')))
  document.querySelector('main.start button').focus()
}

/// Signs in on a page of the server, which opens in another tab.
const signInThere = async server => {
  const { address, code } = await api.post('account/web-sign-in')
  const isDone = await dialog(t('signIn'), close => {
    const status = h('p.hint', { role: 'status' }, t('waiting')), open = h('a.button.main', { href: address, target: '_blank', rel: 'noopener noreferrer' }, t('open'))
    const wait = async () => {
      try {
        while ((await api.post('account/web-sign-in-wait')).state == 'waiting') if (!status.isConnected) return
        close(true)
      } catch (problem) { status.className = 'error'; status.textContent = explain(problem); open.remove() }
    }
    // The dialog must be there before the first answer.
    setTimeout(wait)
    return [h('p.below', t('why', { server })), code && [h('p', t('typeCode')), h('p.recovery.code', code)], status, h('div.buttons', h('button', { type: 'button', onclick: () => close() }, t('cancel')), open)]
  })
  if (!isDone) await api.post('account/web-sign-in-end').catch(() => {})
  return isDone
}

/// Signs in: silently with stored credentials, else on the page of the server or with the form (S6),
/// and stores accepted ones. A further call waits for the first one.
export const signIn = () => signing ??= signInOnce().finally(() => { signing = null })
let signing = null

async function signInOnce() {
  const { server } = await api.get('state')
  if (!server) return
  try { await api.post('account/sign-in') } catch (problem) {
    if (problem.code == 'second_factor_required') await secondFactor({})
    else if (problem.code == 'needs_browser') { if (!await signInThere(server)) return }
    else if (!['usage', 'not_signed_in', 'no_terminal', 'server_rejected', 'not_accepted', 'wrong_password'].includes(problem.code)) return
    else {
      const email = h('input', { type: 'email', required: true }), password = h('input', { type: 'password', required: true })
      const known = await form(t('signIn'), {
        yes: t('signIn'),
        inputs: [h('p.below', t('why', { server })), field(t('email'), email), field(t('password'), password)],
        save: async () => {
          const typed = { email: email.value, password: password.value }
          try { await api.secret('account/sign-in', typed) } catch (problem) {
            if (problem.code == 'second_factor_required') return { typed }
            throw problem
          }
        },
      })
      if (known?.typed) await secondFactor(known.typed)
    }
  }
  tell('account')
}

/// Asks for the second factor, after a right password: one that was typed, or that of the vault.
function secondFactor(typed) {
  const code = h('input', { autocapitalize: 'off', spellcheck: 'false', required: true })
  return form(t('factor'), {
    yes: t('signIn'), inputs: [h('p.below', t('factorWhy')), field(t('factorCode'), code)],
    save: () => api.secret('account/sign-in', { ...typed, code: code.value.trim() }),
    other: 'credentials' in navigator && [t('passkey'), async () => {
      const challenge = await api.secret('account/challenge', { purpose: 'sign-in', ...typed })
      if (challenge.challenge_base64) await api.secret('account/sign-in-passkey', { ...typed, ...await assertion(challenge) })
    }],
  })
}
