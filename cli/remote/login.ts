import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { error } from '../../shared/errors/error.ts'

/** Where an API is, and what lets one in. */
export interface Login {
  readonly url: string
  readonly token: string
}

const form = z.object({ url: z.string(), token: z.string() })
const loginFileOf = (home: string): string => join(home, 'login.json')

/** What `antichain login` kept in a home folder. Throws FILE_UNREADABLE for what is no login. */
export function readLogin(home: string): Login | undefined {
  let text: string
  try {
    text = readFileSync(loginFileOf(home), 'utf8')
  } catch {
    return undefined
  }
  try {
    return form.parse(JSON.parse(text))
  } catch {
    throw error('FILE_UNREADABLE', `${loginFileOf(home)} is no login`, {
      hint: 'Run `antichain logout`, and log in again.',
    })
  }
}

/** Keeps a login for its user only: it holds the token as it is sent. */
export function writeLogin(home: string, login: Login): void {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  rmSync(loginFileOf(home), { force: true })
  writeFileSync(loginFileOf(home), JSON.stringify(login), { mode: 0o600, flag: 'wx' })
}

/** Forgets the login. */
export function removeLogin(home: string): void {
  rmSync(loginFileOf(home), { force: true })
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * The address of an API: https, or http on loopback, without anything behind the host but a path.
 * Throws CLI_USAGE, LOGIN_INSECURE.
 */
export function parseAddress(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw error('CLI_USAGE', `'${text}' is no address of an API`, {
      hint: 'Such as https://antichain.example.com',
    })
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    throw error('CLI_USAGE', 'the address has a name, a query or a fragment, which it must not')
  if (url.protocol === 'http:' && !loopback.has(url.hostname))
    throw error('LOGIN_INSECURE', `${url.host} would be sent the token in clear`)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
