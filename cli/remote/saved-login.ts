import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import * as z from 'zod'
import { createError } from '../../shared/errors/error.ts'
import { loginFileOf } from './login-file.ts'

/** The address of an API, its token, and the group of stacks that ANTICHAIN_GROUP names. */
export interface Login {
  readonly url: string
  readonly token: string
  readonly group?: string | undefined
}

const loginForm = z.object({ url: z.string(), token: z.string() })

/**
 * Returns the login that `antichain login` saved in a home folder. Returns undefined if the file is
 * missing or cannot be read. Throws FILE_UNREADABLE for an invalid login.
 */
export function readLogin(home: string): Login | undefined {
  let text: string
  try {
    text = readFileSync(loginFileOf(home), 'utf8')
  } catch {
    return undefined
  }
  try {
    return loginForm.parse(JSON.parse(text))
  } catch {
    throw createError('FILE_UNREADABLE', `${loginFileOf(home)} is not a valid login`, {
      hint: 'Run `antichain logout`, and log in again.',
    })
  }
}

/** Saves a login in a file that only the current user can read: the token is in plaintext. */
export function writeLogin(home: string, login: Login): void {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  rmSync(loginFileOf(home), { force: true })
  writeFileSync(loginFileOf(home), JSON.stringify(login), { mode: 0o600, flag: 'wx' })
}

/** Removes the login. */
export function removeLogin(home: string): void {
  rmSync(loginFileOf(home), { force: true })
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Parses the address of an API. The address begins with https, or with http on loopback, and has
 * only a path after the host. Throws CLI_USAGE, LOGIN_INSECURE.
 */
export function parseApiAddress(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw createError('CLI_USAGE', `'${text}' is not a valid address of an API`, {
      hint: 'Use an address such as https://antichain.example.com.',
    })
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    throw createError(
      'CLI_USAGE',
      'the address must not contain a user name, a query or a fragment',
    )
  if (url.protocol === 'http:' && !loopbackHosts.has(url.hostname))
    throw createError('LOGIN_INSECURE', `http would send the token to ${url.host} in plaintext`)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
