import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { generatePackageSdks } from './package-gen-sdk.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gen-sdk-'))
  const resources = { 'shop:index:Shelf': { inputProperties: { size: { type: 'integer' } } } }
  const schema = { name: 'shop', version: '1.0.0', resources }
  writeFileSync(join(folder, 'schema.json'), JSON.stringify(schema))
})
afterEach(() => rmSync(folder, { recursive: true }))

const read = (path: string): string => readFileSync(join(folder, path), 'utf8')

/** Runs the command with the schema file. Returns its output. */
async function run(options: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const lines: string[] = []
  const print = (line: string): void => void lines.push(line)
  const io = { env: {} }
  const session = { cwd: folder, print, printToStderr: print, io } as unknown as CliSession
  const flags = { text: (name: string) => options[name], isSet: () => false } as unknown as Flags
  await generatePackageSdks(session, flags, ['./schema.json'])
  return lines
}

test('package gen-sdk generates the SDKs of all languages, with the version of --version', async () => {
  expect(await run({ version: 'v2.0.0-beta.1' })).toEqual([
    'Generated the SDK of shop 2.0.0-beta.1 in sdk/nodejs.',
    'Generated the SDK of shop 2.0.0-beta.1 in sdk/python.',
    'Generated the SDK of shop 2.0.0-beta.1 in sdk/yaml.',
  ])
  expect(JSON.parse(read('sdk/nodejs/package.json'))).toMatchObject({ version: '2.0.0-beta.1' })
  expect(read('sdk/python/pyproject.toml')).toContain('version = "2.0.0b1"')
  expect(read('sdk/yaml/shop-2.0.0-beta.1.yaml')).toContain('version: 2.0.0-beta.1')
})

test('package gen-sdk generates the SDK of one language again in the same folder', async () => {
  await run({ language: 'typescript', out: 'out' })
  await run({ language: 'nodejs', out: 'out' })
  expect(readdirSync(join(folder, 'out'))).toEqual(['nodejs'])
  expect(read('out/nodejs/index.d.ts')).toContain('export declare class Shelf')
})

test.each([
  [' v2.0.0', '2.0.0'],
  ['2.0.0+build.1', '2.0.0+build.1'],
])('package gen-sdk normalizes the version %j', async (version, expected) => {
  await run({ version, language: 'javascript' })
  expect(JSON.parse(read('sdk/nodejs/package.json'))).toMatchObject({ version: expected })
})

test('package gen-sdk refuses an invalid version before it writes files', async () => {
  await expect(run({ version: '2' })).rejects.toThrow('invalid version of the package: 2')
  expect(existsSync(join(folder, 'sdk'))).toBe(false)
})

test('package gen-sdk refuses a schema whose name could be a path', async () => {
  writeFileSync(join(folder, 'schema.json'), JSON.stringify({ name: '../shop' }))
  await expect(run({})).rejects.toThrow('invalid name "../shop"')
})
