import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import { createProcesses } from '../../platform/system/processes.ts'
import type { AnalyzerHost } from '../../providers/analyzers/analyzer.ts'
import { createAnalyzerHost } from './analyzer-host.ts'

let root = ''
let host: AnalyzerHost
let output: string[] = []
const processes = createProcesses()

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'antichain-pack-'))
  output = []
  host = createAnalyzerHost({
    processes,
    env: { PATH: process.env['PATH'] ?? '' },
    antichainNode: process.execPath,
    projectFolder: root,
    engineAddress: () => '127.0.0.1:1',
    context: {
      stack: 'dev',
      project: 'shop',
      organization: 'organization',
      dryRun: false,
      config: new Map([['shop:zone', 'eu']]),
      configSecretKeys: [],
    },
    onOutput: line => void output.push(line),
  })
})

afterEach(async () => {
  await host.close()
  rmSync(root, { recursive: true, force: true })
})

/** Creates an executable file of the project. */
function writeScript(name: string, text: string): string {
  const file = join(root, name)
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
  return name
}

const fixture = resolve(import.meta.dirname, 'policy-pack.fixture.ts')
const writePack = (): string => writeScript('pack', `exec '${process.execPath}' '${fixture}' "$@"`)

const resource = (name: string) => ({
  urn: `urn:pulumi:dev::shop::a:b:C::${name}` as Urn,
  type: 'a:b:C',
  name,
  properties: new Map([
    ['v', 1],
    ['__internal', 2],
  ]),
  options: {
    protect: false,
    ignoreChanges: [],
    deleteBeforeReplace: undefined,
    additionalSecretOutputs: [],
    aliases: [],
    customTimeouts: {},
    parent: '',
  },
  provider: undefined,
})

test('a pack gets stack and settings, analyzes a resource and the stack, remediates, and reports a thrown error', async () => {
  writeFileSync(join(root, 'settings.json'), '{"short":{"enforcementLevel":"mandatory","max":9}}')
  const [analyzer] = await host.load([{ path: writePack(), config: 'settings.json' }])
  expect(analyzer?.info.policies[0]?.enforcement).toBe('mandatory')
  const { violations = [] } = (await analyzer?.analyze(resource('long'))) ?? {}
  expect(violations).toEqual([
    {
      policy: 'short',
      pack: 'fixture',
      version: '0.1.0',
      message: 'shop/dev eu: long over 9, v',
      enforcement: 'mandatory',
      urn: 'urn:pulumi:dev::shop::a:b:C::long',
      severity: 'high',
    },
  ])
  const { remediations = [] } = (await analyzer?.remediate(resource('a'))) ?? {}
  expect(remediations[0]?.properties.get('added')).toBe(true)
  const stack = await analyzer?.analyzeStack([
    { ...resource('a'), dependencies: [], propertyDependencies: new Map() },
  ])
  expect(stack?.violations[0]?.message).toBe('1 resources')
  await expect(analyzer?.analyze(resource('throws'))).rejects.toThrow('the policy threw')
  await host.cancelAll()
})

test('a pack that ends during an analysis is reported with its exit code', async () => {
  const [analyzer] = await host.load([{ path: writePack() }])
  await expect(analyzer?.analyze(resource('dies'))).rejects.toThrow(
    /the pack ended with exit code 5/,
  )
})

test('settings that a policy does not allow are reported', async () => {
  writeFileSync(join(root, 'settings.json'), '{"short":{"max":"many"}}')
  const load = host.load([{ path: writePack(), config: 'settings.json' }])
  await expect(load).rejects.toMatchObject({ code: 'POLICY_PACK_FAILED' })
  await expect(load).rejects.toThrow(/short: max/)
})

test.each([
  ['its folder does not exist', () => 'nowhere', /does not exist/],
  ['it ends immediately', () => writeScript('bad', 'echo broken >&2; exit 3'), /exit code 3$/],
  [
    'it ends with a trace in colour',
    () => writeScript('bad', String.raw`printf '\033[90mbroken\n    at here:1\n' >&2; exit 3`),
    /exit code 3$/,
  ],
  [
    'its folder has no PulumiPolicy.yaml',
    () => {
      mkdirSync(join(root, 'empty'))
      return 'empty'
    },
    /PulumiPolicy\.yaml/,
  ],
  [
    'its runtime is not installed',
    () => {
      mkdirSync(join(root, 'opa'))
      writeFileSync(join(root, 'opa', 'PulumiPolicy.yaml'), 'runtime: opa\n')
      return 'opa'
    },
    /pulumi-analyzer-policy-opa/,
  ],
])('a pack is refused with a one-line message when %s', async (name, path, message) => {
  const load = host.load([{ path: path() }])
  await expect(load).rejects.toMatchObject({ code: 'POLICY_PACK_FAILED' })
  await expect(load).rejects.toThrow(message)
  // Only the packs that end by themselves print `broken`.
  expect(output.filter(line => /broken/.test(line)).length).toBe(name.startsWith('it ends') ? 1 : 0)
})

test('the error of a pack without an installed SDK contains the command to install it', async () => {
  mkdirSync(join(root, 'policy'))
  writeFileSync(join(root, 'policy', 'PulumiPolicy.yaml'), 'runtime: nodejs\n')
  const load = host.load([{ path: 'policy' }])
  await expect(load).rejects.toMatchObject({ code: 'POLICY_PACK_FAILED' })
  await expect(load).rejects.toThrow(/npm install/)
})
