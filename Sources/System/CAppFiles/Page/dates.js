// Formats for days and times.
import { language, texts } from './core.js'

const t = texts({
  yesterday: 'Yesterday',
  last: 'last', lastDay: 'the last day',
  every: 'Every {what}',
})

export const days = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const locale = () => language == 'uk' ? 'uk' : 'en-GB'
const format = options => {
  let made, of
  return date => (of == language ? made : (of = language, made = new Intl.DateTimeFormat(locale(), options))).format(date).replaceAll(',', '')
}
const clock = format({ hour: 'numeric', minute: '2-digit', hour12: false })
const weekday = format({ weekday: 'short' })
const near = format({ weekday: 'short', day: 'numeric', month: 'short' })
const far = format({ day: 'numeric', month: 'short' })
const other = format({ day: 'numeric', month: 'short', year: 'numeric' })

/// Whether a time is a whole day, `2026-11-27`.
export const isDay = iso => iso.length == 10
/// A time as a date: the local start of a day.
export const dateOf = iso => new Date(isDay(iso) ? `${iso}T00:00` : iso)
/// Whether a due time has passed. A day passes at its end.
export const isPast = iso => isDay(iso) ? daysTo(dateOf(iso)) < 0 : dateOf(iso) < new Date()
/// The number of days from today to a date: 0 is today, -1 yesterday.
export function daysTo(date) {
  const day = each => Date.UTC(each.getFullYear(), each.getMonth(), each.getDate())
  return Math.round((day(date) - day(new Date())) / 86400000)
}
function day(date, days) {
  if (days >= -1 && days <= 1) return t(['yesterday', 'today', 'tomorrow'][days + 1])
  return Math.abs(days) < 14 ? near(date) : Math.abs(days) < 300 ? far(date) : other(date)
}
/// A time in a row: `17:30` today, `Yesterday, 9:00`, `24 Dec`. Midnight means no time of day.
export function when(iso) {
  if (!iso) return t('noDate')
  const date = dateOf(iso), days = daysTo(date), midnight = !date.getHours() && !date.getMinutes()
  if (days == 0) return midnight ? t('today') : clock(date)
  return day(date, days) + (midnight || Math.abs(days) > 6 ? '' : `, ${clock(date)}`)
}
/// A time at the end of a row: `9:12`, `Yesterday`, `Sat`, `4 Dec`.
export function whenShort(iso) {
  const date = new Date(iso), days = daysTo(date)
  return days == 0 ? clock(date) : days == -1 ? t('yesterday') : days < 0 && days > -7 ? weekday(date) : day(date, Math.abs(days) < 14 ? 20 : days)
}
/// The complete time, `Fri 4 Dec, 9:00`, or the day.
export function whenLong(iso) {
  const date = dateOf(iso)
  return (Math.abs(daysTo(date)) < 300 ? near : other)(date) + (isDay(iso) ? '' : `, ${clock(date)}`)
}
/// A duration, `3 days`; with the display `short`, `10 min`.
export const units = (n, unit, unitDisplay) => new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay }).format(n)
/// A recurrence rule (RFC 5545) as text: `Every 3 days`.
export function everySo(rule) {
  const parts = Object.fromEntries(rule.split(';').map(each => each.split('=')))
  if (parts.BYDAY == 'MO,TU,WE,TH,FR' && !parts.INTERVAL) return t('weekdays')
  const place = n => n == -1 ? t('last') + ' ' : n ? `${n}. ` : ''
  const on = [...(parts.BYDAY?.split(',') ?? []).map(each => place(parseInt(each)) + weekday(new Date(2024, 0, 1 + days.indexOf(each.slice(-2))))), ...(parts.BYMONTHDAY == -1 ? [t('lastDay')] : parts.BYMONTHDAY ? [parts.BYMONTHDAY] : [])].join(', ')
  const unit = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' }[parts.FREQ]
  return (parts.INTERVAL ? t('every', { n: Number(parts.INTERVAL), what: units(parts.INTERVAL, unit, 'long') }) : t(parts.FREQ.toLowerCase())) + (on && `: ${on}`)
}
/// Converts a day or a time to the value of the control of `whenField`, and back.
export function toField(iso) {
  if (isDay(iso)) return iso
  const date = new Date(iso)
  return new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16)
}
export const fromField = text => !text ? null : isDay(text) ? text : new Date(text).toISOString()
/// The day so many days after today, `2026-11-27`.
export const dayAfter = days => { const date = new Date(); date.setDate(date.getDate() + days); return toField(date).slice(0, 10) }
/// The days until Monday.
export const untilMonday = () => (8 - new Date().getDay()) % 7 || 7
/// The letter and the name of the weekday of a date `2026-11-27`.
export const dayName = (date, weekday, more) => new Intl.DateTimeFormat(locale(), { weekday, ...more, timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`))
export const dayLong = date => dayName(date, 'long', { day: 'numeric', month: 'long' })
