import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from 'tar'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { installPlugins } from './plugin-install.ts'

let home: string
let plugins: string
/** The version of the latest release. */
let latest: string
let addresses: string[]

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'plugin-install-'))
  plugins = join(home, '.pulumi', 'plugins')
  mkdirSync(join(plugins, 'resource-thing-v1.0.0'), { recursive: true })
  addresses = []
  writeFileSync(join(home, 'pulumi-resource-thing'), '#!/bin/sh\n', { mode: 0o755 })
  const file = join(home, 'archive.tar.gz')
  await create({ cwd: home, gzip: true, file }, ['pulumi-resource-thing'])
  vi.stubGlobal('fetch', async (url: URL | string) => {
    addresses.push(String(url))
    return String(url).endsWith('/releases/latest')
      ? Response.json({ tag_name: `v${latest}` })
      : new Response(readFileSync(file))
  })
})

afterEach(() => {
  vi.unstubAllGlobals()
  rmSync(home, { recursive: true })
})

/** Runs `plugin install resource thing`. Returns its messages. */
async function install(): Promise<readonly string[]> {
  const messages: string[] = []
  const session = {
    cwd: home,
    io: { env: { HOME: home } },
    printToStderr: (message: string) => void messages.push(message),
  } as unknown as CliSession
  const flags = { isSet: () => false, text: () => undefined } as unknown as Flags
  expect(await installPlugins(session, flags, ['resource', 'thing'])).toBe(0)
  return messages
}

test('plugin install without a version installs the latest one, also if an older one is installed', async () => {
  latest = '2.0.0'
  expect(await install()).toContain('Installed resource plugin thing 2.0.0')
  expect(existsSync(join(plugins, 'resource-thing-v2.0.0', 'pulumi-resource-thing'))).toBe(true)
})

test('plugin install without a version downloads nothing if the latest one is installed', async () => {
  latest = '1.0.0'
  expect(await install()).toEqual([])
  expect(addresses).toEqual([expect.stringContaining('/releases/latest')])
})
