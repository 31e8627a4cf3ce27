import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { listPlugins } from './plugin-ls.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'plugin-ls-'))
  const folder = join(root, 'node_modules/@pulumi/random')
  mkdirSync(folder, { recursive: true })
  const dependencies = { '@pulumi/random': '4.16.3' }
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'shop', dependencies }))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      name: '@pulumi/random',
      version: '4.16.3',
      pulumi: { resource: true, name: 'random', version: '4.16.3' },
    }),
  )
})
afterEach(() => rmSync(root, { recursive: true }))

/** Lists the plugins that an API stores, and returns their names and versions. */
async function listStored(...options: readonly string[]): Promise<readonly string[]> {
  const stored = ['random 4.16.3', 'random 4.0.0', 'tls 5.0.0'].map(plugin => {
    const [name, version] = plugin.split(' ')
    const fields = { kind: 'resource', os: 'linux', arch: 'arm64', sha256: '', storedAtMs: 0 }
    return { ...fields, name, version }
  })
  const lines: string[] = []
  const session = {
    openEngine: async () => ({ remote: {}, callApi: async () => ({ items: stored }) }),
    requireProject: () => ({ root, runtime: 'nodejs', runtimeOptions: {}, main: '' }),
    print: (line: string) => void lines.push(line),
  } as unknown as CliSession
  const flags = {
    isSet: (name: string) => ['api', ...options].includes(name),
    text: () => undefined,
  } as unknown as Flags
  await listPlugins(session, flags, [])
  return lines.slice(1).map(line => line.split(/ +/).filter(Boolean).slice(0, 3).join(' '))
}

test('plugin ls --api lists the stored plugins, and with --project those that the project requires', async () => {
  expect(await listStored()).toEqual([
    'random resource 4.16.3',
    'random resource 4.0.0',
    'tls resource 5.0.0',
  ])
  expect(await listStored('project')).toEqual(['random resource 4.16.3'])
})
